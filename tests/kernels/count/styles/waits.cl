/* waits.cl - loops that run until other work-items have done something, and loops that only look so */

#define LOCK(lock) \
    while (atomic_xchg(lock, 1)) \
        ;

void take(volatile local int *lock)
{
    LOCK(lock)
}

//: kernel lock_without_barrier
//: local 32
//: global 32*g
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void lock_without_barrier(global float *out)
{
    local int lock;

    lock = 0;
    while (atomic_cmpxchg(&lock, 0, 1) != 0)
        ;
    out[get_global_id(0)] += 1.0f;
    atomic_xchg(&lock, 0);
}

//: kernel added_in_local_memory
//: local 32
//: global 32*g
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void added_in_local_memory(global int *out)
{
    local int sum;
    int seen, old;

    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    old = sum;
    do {
        seen = old;
        old = atomic_cmpxchg(&sum, seen, seen + 3);
    } while (seen != old);
    out[get_global_id(0)] = old;
}

//: kernel lock_that_is_one
//: local 32
//: global 32*g
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void lock_that_is_one(global int *lock, global float *sum)
{
    while (atomic_cmpxchg(lock, 0, 1) == 1)
        ;
    sum[0] += 1.0f;
    atomic_xchg(lock, 0);
}

//: kernel until_not_seven
//: local 32
//: global 32*g
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void until_not_seven(global volatile int *flag, global int *out)
{
    int i = get_global_id(0), k = 0;

    while (flag[i] == 7)
        k++;
    out[i] = k;
}

//: kernel turn_by_ticket
//: local 32
//: global 32*g
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void turn_by_ticket(global int *ticket, global volatile int *serving,
                           global float *sum)
{
    int mine = atomic_inc(ticket);

    while (*serving != mine)
        ;
    sum[0] += 1.0f;
    *serving = mine + 1;
}

//: kernel all_groups_meet
//: local 32
//: global 32*g
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void all_groups_meet(global int *arrived, global float *out)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_inc(arrived);
        while (atomic_add(arrived, 0) < (int)get_num_groups(0))
            ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 1.0f;
}

//: kernel lock_in_helper
//: local 8,4
//: global 8*g,4
//: at g=2
//: at g=2
//: assume g = 2
//: refused depends on data
kernel void lock_in_helper(global float *out)
{
    local int lock;

    if (get_local_id(0) == 0 && get_local_id(1) == 0)
        lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 2; k++) {
        take(&lock);
        out[0] += 1.0f;
        atomic_xchg(&lock, 0);
    }
}

//: kernel own_halvings
//: local 32
//: global 32*g
//: at g=2
//: at g=3
//: at-sizes
kernel void own_halvings(global int *out)
{
    local uint mine[32];
    int l = get_local_id(0), k = 0;

    mine[l] = l;
    for (uint i = mine[l]; i > 0; i >>= 1)
        k++;
    out[get_global_id(0)] = k;
}
