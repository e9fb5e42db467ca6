/* trace.c - see trace.h */
#include "tests/kernels/count/traffic/trace.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLOBAL = 1 }; /* Oclgrind keeps constant memory in the same one */

struct size3 {
    size_t at[3];
};

struct touch {
    const void *instruction;
    struct size3 local_id, global_id;
    size_t item, sub_group, execution; /* 'execution': of anything, then of the item's */
    uint64_t address;
    size_t bytes;
    bool store;
};

static struct {
    struct touch *touches;
    size_t n, capacity,
        n_pending; /* the last ones, of the instruction that is executed */
    size_t n_executions;
} trace;

/* ---- what Oclgrind calls ---- */

/* The function of Oclgrind's library, from which 'caller' is. */
static void *real(const char *name, const void *caller)
{
    Dl_info info;
    void *library, *function;

    if (!dladdr(caller, &info) ||
        !(library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)))
        abort();
    function = dlsym(library, name);
    dlclose(library);
    if (!function)
        abort();
    return function;
}

#define REAL(function, name)                                                             \
    static __typeof__(&function) next;                                                   \
    if (!next)                                                                           \
        *(void **)&next = real(name, __builtin_return_address(0));

#define SPACE       "_ZNK8oclgrind6Memory15getAddressSpaceEv"
#define LOCAL_ID    "_ZNK8oclgrind8WorkItem10getLocalIDEv"
#define GLOBAL_ID   "_ZNK8oclgrind8WorkItem11getGlobalIDEv"
#define LOCAL_SIZE  "_ZNK8oclgrind16KernelInvocation12getLocalSizeEv"
#define GLOBAL_SIZE "_ZNK8oclgrind16KernelInvocation13getGlobalSizeEv"
#define ON_LOAD     "_ZNK8oclgrind7Context16notifyMemoryLoadEPKNS_6MemoryEmm"
#define ON_STORE    "_ZNK8oclgrind7Context17notifyMemoryStoreEPKNS_6MemoryEmmPKh"
#define ON_INSTRUCTION                                                                   \
    "_ZNK8oclgrind7Context25notifyInstructionExecutedEPKNS_8WorkItemEPKN4llvm"           \
    "11InstructionERKNS_10TypedValueE"
#define ON_BEGIN "_ZNK8oclgrind7Context17notifyKernelBeginEPKNS_16KernelInvocationE"
#define ON_END   "_ZNK8oclgrind7Context15notifyKernelEndEPKNS_16KernelInvocationE"

void trace_begin(const void *context, const void *invocation) __asm__(ON_BEGIN);
void trace_load(const void *context, const void *memory, size_t address,
                size_t bytes) __asm__(ON_LOAD);
void trace_store(const void *context, const void *memory, size_t address, size_t bytes,
                 const unsigned char *data) __asm__(ON_STORE);
void trace_instruction(const void *context, const void *item, const void *instruction,
                       const void *result) __asm__(ON_INSTRUCTION);
void trace_end(const void *context, const void *invocation) __asm__(ON_END);

/* The host's accesses before do not count. */
void trace_begin(const void *context, const void *invocation)
{
    REAL(trace_begin, ON_BEGIN)

    trace.n = trace.n_pending = 0;
    next(context, invocation);
}

static void add(uint64_t address, size_t bytes, bool store)
{
    if (trace.n == trace.capacity) {
        trace.capacity = trace.capacity ? 2 * trace.capacity : 4096;
        trace.touches = realloc(trace.touches, trace.capacity * sizeof(*trace.touches));
        if (!trace.touches)
            abort();
    }
    trace.touches[trace.n++] =
        (struct touch){ .address = address, .bytes = bytes, .store = store };
    trace.n_pending++;
}

void trace_load(const void *context, const void *memory, size_t address, size_t bytes)
{
    REAL(trace_load, ON_LOAD)
    static unsigned (*space)(const void *);

    if (!space)
        *(void **)&space = real(SPACE, __builtin_return_address(0));
    if (space(memory) == GLOBAL)
        add(address, bytes, false);
    next(context, memory, address, bytes);
}

void trace_store(const void *context, const void *memory, size_t address, size_t bytes,
                 const unsigned char *data)
{
    REAL(trace_store, ON_STORE)
    static unsigned (*space)(const void *);

    if (!space)
        *(void **)&space = real(SPACE, __builtin_return_address(0));
    if (space(memory) == GLOBAL)
        add(address, bytes, true);
    next(context, memory, address, bytes, data);
}

void trace_instruction(const void *context, const void *item, const void *instruction,
                       const void *result)
{
    REAL(trace_instruction, ON_INSTRUCTION)
    static struct size3 (*ids[2])(const void *);

    if (!ids[0]) {
        *(void **)&ids[0] = real(LOCAL_ID, __builtin_return_address(0));
        *(void **)&ids[1] = real(GLOBAL_ID, __builtin_return_address(0));
    }
    trace.n_executions += trace.n_pending > 0;
    for (; trace.n_pending; trace.n_pending--) {
        struct touch *t = &trace.touches[trace.n - trace.n_pending];

        t->instruction = instruction;
        t->local_id = ids[0](item);
        t->global_id = ids[1](item);
        t->execution = trace.n_executions;
    }
    next(context, item, instruction, result);
}

/* ---- executions by sub-groups ---- */

static size_t join(const size_t at[3], const size_t of[3])
{
    return at[0] + of[0] * (at[1] + of[1] * at[2]);
}

static void set_items(const struct size3 *local, const struct size3 *global)
{
    size_t items = local->at[0] * local->at[1] * local->at[2], groups[3];

    for (size_t d = 0; d < 3; d++)
        groups[d] = global->at[d] / local->at[d];
    for (size_t i = 0; i < trace.n; i++) {
        struct touch *t = &trace.touches[i];
        size_t id = join(t->local_id.at, local->at), group[3];

        for (size_t d = 0; d < 3; d++)
            group[d] = t->global_id.at[d] / local->at[d];
        t->item = join(group, groups) * items + id;
        t->sub_group = join(group, groups) * items + id / TRACE_LANES;
    }
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_item(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    int o = order(x->store, y->store);

    o = o ? o : order((uintptr_t)x->instruction, (uintptr_t)y->instruction);
    o = o ? o : order(x->item, y->item);
    return o ? o : order(x->execution, y->execution);
}

static int by_sub_group(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    int o = order(x->store, y->store);

    o = o ? o : order((uintptr_t)x->instruction, (uintptr_t)y->instruction);
    o = o ? o : order(x->sub_group, y->sub_group);
    o = o ? o : order(x->execution, y->execution);
    return o ? o : order(x->address, y->address);
}

static bool same_item(const struct touch *a, const struct touch *b)
{
    return a->store == b->store && a->instruction == b->instruction && a->item == b->item;
}

static bool same_execution(const struct touch *a, const struct touch *b)
{
    return a->store == b->store && a->instruction == b->instruction &&
           a->sub_group == b->sub_group && a->execution == b->execution;
}

/* Numbers each item's executions of each instruction; returns the instructions that items of
 * a sub-group execute in different numbers.
 */
static size_t number_executions(struct touch *t, size_t n)
{
    size_t n_uneven = 0, last = 0, sub_group = SIZE_MAX;
    const void *instruction = NULL, *uneven = NULL;

    qsort(t, n, sizeof(*t), by_item);
    for (size_t i = 0; i < n;) {
        size_t number = 0, serial = t[i].execution, first = i;

        for (; i < n && same_item(&t[first], &t[i]); i++) {
            number += t[i].execution != serial;
            serial = t[i].execution;
            t[i].execution = number;
        }
        if (t[first].instruction == instruction && t[first].sub_group == sub_group &&
            number != last && uneven != instruction) {
            uneven = instruction;
            n_uneven++;
        }
        instruction = t[first].instruction;
        sub_group = t[first].sub_group;
        last = number;
    }
    return n_uneven;
}

/* Blocks of 'size' bytes in the accesses of one execution, ordered by address; '*partial': of
 * these, not complete.
 */
static size_t blocks(const struct touch *t, size_t n, size_t size, size_t *partial)
{
    uint64_t covered = 0, end = 0; /* of the block: bytes; of all before: address */
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        for (uint64_t at = t[i].address; at < t[i].address + t[i].bytes;) {
            uint64_t stop = (at / size + 1) * size, last = t[i].address + t[i].bytes;

            stop = stop < last ? stop : last;
            if (!count || at / size > (end - 1) / size) {
                *partial += count && covered < size;
                count++;
                covered = 0;
                end = at;
            }
            covered += stop > end ? stop - (at > end ? at : end) : 0;
            end = stop > end ? stop : end;
            at = stop;
        }
    *partial += count && covered < size;
    return count;
}

static void print_direction(struct touch *t, size_t n, const char *name)
{
    size_t n_uneven = number_executions(t, n), sectors = 0, lines = 0, partial = 0,
           unused = 0;

    qsort(t, n, sizeof(*t), by_sub_group);
    for (size_t i = 0; i < n;) {
        size_t first = i;

        while (i < n && same_execution(&t[first], &t[i]))
            i++;
        sectors += blocks(&t[first], i - first, TRACE_SECTOR, &partial);
        lines += blocks(&t[first], i - first, TRACE_LINE, &unused);
    }
    printf("trace %s %zu %zu %zu %zu\n", name, sectors, lines, partial, n_uneven);
}

void trace_end(const void *context, const void *invocation)
{
    REAL(trace_end, ON_END)
    struct size3 (*local)(const void *), (*global)(const void *);
    struct size3 sizes[2];
    size_t n_loads = 0;

    next(context, invocation);
    *(void **)&local = real(LOCAL_SIZE, __builtin_return_address(0));
    *(void **)&global = real(GLOBAL_SIZE, __builtin_return_address(0));
    sizes[0] = local(invocation);
    sizes[1] = global(invocation);
    set_items(&sizes[0], &sizes[1]);
    qsort(trace.touches, trace.n, sizeof(*trace.touches), by_item); /* loads first */
    while (n_loads < trace.n && !trace.touches[n_loads].store)
        n_loads++;
    print_direction(trace.touches, n_loads, "load");
    print_direction(trace.touches + n_loads, trace.n - n_loads, "store");
}
