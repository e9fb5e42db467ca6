/* faulty_opencl.h - the start of a test whose workers have a faulty OpenCL */
#ifndef GCAL_TESTS_CALIB_DEVICE_FAULTY_OPENCL_H
#define GCAL_TESTS_CALIB_DEVICE_FAULTY_OPENCL_H

/* gcal_worker_dispatch(), the first thing that main() does; a worker's faults know its
 * socket then.
 */
int faulty_worker_dispatch(int argc, char **argv);

#endif
