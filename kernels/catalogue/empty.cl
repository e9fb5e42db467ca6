/* Nothing: launching a kernel and its work-groups. */
__kernel void empty(void)
{
}
