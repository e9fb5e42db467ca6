/* Loads of constant memory in passes over a table: all work-items load the same entry, or each
 * another.  'entries' must stay an argument: were it known, a compiler could keep the table in
 * registers.
 */
#define uniform(k) (k)
#define lanes(k)   ((k) + get_local_id(0))

__kernel void const_load(__global float *result, __constant float *table, int entries,
                         int m)
{
    float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;

    for (int it = 0; it < m; ++it)
        for (int k = 0; k < entries; k += 4) {
            sum0 = sum0 + table[PATTERN(k)];
            sum1 = sum1 + table[PATTERN(k + 1)];
            sum2 = sum2 + table[PATTERN(k + 2)];
            sum3 = sum3 + table[PATTERN(k + 3)];
        }
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum0 + sum1 + sum2 + sum3;
}
