#define LETTERS 32

__kernel void edit_distance(__global const uchar *a, __global const uchar *b,
                            __global int *out, int n)
{
    int i = get_global_id(0);
    int row[LETTERS + 1];

    if (i >= n)
        return;
    for (int k = 0; k <= LETTERS; k++)
        row[k] = k;
    for (int j = 0; j < LETTERS; j++) {
        int corner = row[0];
        uchar letter = b[j * n + i];

        row[0] = j + 1;
        for (int k = 1; k <= LETTERS; k++) {
            int same = corner + (a[(k - 1) * n + i] != letter);

            corner = row[k];
            row[k] = min(min(row[k], row[k - 1]) + 1, same);
        }
    }
    out[i] = row[LETTERS];
}
