/* A private array whose loops have bounds that are known at run time only, as 'one' is 1, so
 * that it is in memory: all lanes at one subscript at a time.  'update' loads and stores each
 * word in each of m passes, 'load' loads them.
 */
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)

#define DO_update(i) a[i] = a[i] * 0.5f + 1.0f;
#define DO_load(i)   sum = sum * 0.5f + a[i];

__kernel void private_moves(__global float *result, int one, int m)
{
    int n = ENTRIES - 1 + one;
    float a[ENTRIES], sum = 0.0f;

    for (int i = 0; i < n; ++i)
        a[i] = (float)((get_local_id(0) + i) & 0xff);
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < n; ++i) {
            JOIN(DO_, ACCESS)(i)
        }
    for (int i = 0; i < n; ++i)
        sum = sum + a[i];
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
