/* Operators and operands of each work-item's own formula, on a stack of its own. */
__kernel void private_stack(__global const uint *codes, __global float *results, int length)
{
    float stack[32];
    int item = get_global_id(0), items = get_global_size(0), top = 0;

    stack[0] = 1.0f;
    for (int k = 0; k < length; ++k) {
        uint code = codes[item + k * items];

        if ((code & 3) && top > 0) {
            float last = stack[top];

            top = top - 1;
            stack[top] = (code & 1) ? stack[top] + last : stack[top] * 0.5f - last;
        } else if (top < 31) {
            top = top + 1;
            stack[top] = (float)(code & 255) * 0.0078125f;
        }
    }
    results[item] = stack[top];
}
