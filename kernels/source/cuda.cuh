/* cuda.cuh - declarations of CUDA and HIP, so that sources are read without a toolkit
 *
 * It is put before each source.  A function that has no body here is one that gpucal knows: by its
 * own name, or by the name in OpenCL C of the same operation (GPUCAL_IS).
 */
#pragma clang system_header

#define __CUDACC__ 1
#define __NVCC__ 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define GPUCAL_IS(name) __device__ __attribute__((annotate(#name)))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

/* ---- vectors ---- */

/* Those of two and four, which are loaded and stored as a whole. */
#define GPUCAL_VECTOR(bytes) __align__(bytes) __attribute__((annotate("vector")))
#define GPUCAL_VECTORS(T, name, align2, align4)                                          \
    struct name##1 {                                                                     \
        T x;                                                                             \
    };                                                                                   \
    struct GPUCAL_VECTOR(align2) name##2                                                 \
    {                                                                                    \
        T x, y;                                                                          \
    };                                                                                   \
    struct name##3 {                                                                     \
        T x, y, z;                                                                       \
    };                                                                                   \
    struct GPUCAL_VECTOR(align4) name##4                                                 \
    {                                                                                    \
        T x, y, z, w;                                                                    \
    };                                                                                   \
    __host__ __device__ inline name##1 make_##name##1(T x)                               \
    {                                                                                    \
        return name##1 { x };                                                            \
    }                                                                                    \
    __host__ __device__ inline name##2 make_##name##2(T x, T y)                          \
    {                                                                                    \
        return name##2 { x, y };                                                         \
    }                                                                                    \
    __host__ __device__ inline name##3 make_##name##3(T x, T y, T z)                     \
    {                                                                                    \
        return name##3 { x, y, z };                                                      \
    }                                                                                    \
    __host__ __device__ inline name##4 make_##name##4(T x, T y, T z, T w)                \
    {                                                                                    \
        return name##4 { x, y, z, w };                                                   \
    }

GPUCAL_VECTORS(signed char, char, 2, 4)
GPUCAL_VECTORS(unsigned char, uchar, 2, 4)
GPUCAL_VECTORS(short, short, 4, 8)
GPUCAL_VECTORS(unsigned short, ushort, 4, 8)
GPUCAL_VECTORS(int, int, 8, 16)
GPUCAL_VECTORS(unsigned int, uint, 8, 16)
GPUCAL_VECTORS(long, long, 16, 16)
GPUCAL_VECTORS(unsigned long, ulong, 16, 16)
GPUCAL_VECTORS(long long, longlong, 16, 16)
GPUCAL_VECTORS(unsigned long long, ulonglong, 16, 16)
GPUCAL_VECTORS(float, float, 8, 16)
GPUCAL_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
};

/* ---- threads ---- */

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ uint3 blockDim;
extern const __device__ uint3 gridDim;
extern const __device__ int warpSize;

GPUCAL_IS(barrier) void __syncthreads();
GPUCAL_IS(sub_group_barrier) void __syncwarp(unsigned mask = 0xffffffffu);
GPUCAL_IS(mem_fence) void __threadfence();
GPUCAL_IS(mem_fence) void __threadfence_block();
GPUCAL_IS(mem_fence) void __threadfence_system();

/* ---- arithmetic ---- */

#define GPUCAL_REAL_1(name)                                                              \
    __device__ float name(float);                                                        \
    __device__ double name(double);                                                      \
    GPUCAL_IS(name) float name##f(float);
#define GPUCAL_REAL_2(name)                                                              \
    __device__ float name(float, float);                                                 \
    __device__ double name(double, double);                                              \
    GPUCAL_IS(name) float name##f(float, float);

GPUCAL_REAL_1(sqrt)
GPUCAL_REAL_1(rsqrt)
GPUCAL_REAL_1(cbrt)
GPUCAL_REAL_1(exp)
GPUCAL_REAL_1(exp2)
GPUCAL_REAL_1(exp10)
GPUCAL_REAL_1(expm1)
GPUCAL_REAL_1(log)
GPUCAL_REAL_1(log2)
GPUCAL_REAL_1(log10)
GPUCAL_REAL_1(log1p)
GPUCAL_REAL_1(sin)
GPUCAL_REAL_1(cos)
GPUCAL_REAL_1(tan)
GPUCAL_REAL_1(asin)
GPUCAL_REAL_1(acos)
GPUCAL_REAL_1(atan)
GPUCAL_REAL_1(sinh)
GPUCAL_REAL_1(cosh)
GPUCAL_REAL_1(tanh)
GPUCAL_REAL_1(erf)
GPUCAL_REAL_1(erfc)
GPUCAL_REAL_1(fabs)
GPUCAL_REAL_1(floor)
GPUCAL_REAL_1(ceil)
GPUCAL_REAL_1(round)
GPUCAL_REAL_1(trunc)
GPUCAL_REAL_1(rint)
GPUCAL_REAL_2(pow)
GPUCAL_REAL_2(fmin)
GPUCAL_REAL_2(fmax)
GPUCAL_REAL_2(fmod)
GPUCAL_REAL_2(atan2)
GPUCAL_REAL_2(hypot)
GPUCAL_REAL_2(copysign)
__device__ float fma(float, float, float);
__device__ double fma(double, double, double);
GPUCAL_IS(native_exp) float __expf(float);
GPUCAL_IS(fma) float fmaf(float, float, float);
GPUCAL_IS(fma) float __fmaf_rn(float, float, float);
GPUCAL_IS(fma) double __fma_rn(double, double, double);

__device__ int min(int, int);
__device__ int max(int, int);
__device__ unsigned min(unsigned, unsigned);
__device__ unsigned max(unsigned, unsigned);
__device__ long long min(long long, long long);
__device__ long long max(long long, long long);
__device__ unsigned long long min(unsigned long long, unsigned long long);
__device__ unsigned long long max(unsigned long long, unsigned long long);
GPUCAL_IS(fmin) float min(float, float);
GPUCAL_IS(fmax) float max(float, float);
GPUCAL_IS(fmin) double min(double, double);
GPUCAL_IS(fmax) double max(double, double);
__device__ int abs(int);

/* ---- memory ---- */

template <typename T> __device__ inline T __ldg(const T *p)
{
    return *p;
}

#define GPUCAL_ATOMIC(T)                                                                 \
    GPUCAL_IS(atomic_add) T atomicAdd(T *, T);                                           \
    GPUCAL_IS(atomic_xchg) T atomicExch(T *, T);
#define GPUCAL_INTEGER_ATOMIC(T)                                                         \
    GPUCAL_ATOMIC(T)                                                                     \
    GPUCAL_IS(atomic_sub) T atomicSub(T *, T);                                           \
    GPUCAL_IS(atomic_min) T atomicMin(T *, T);                                           \
    GPUCAL_IS(atomic_max) T atomicMax(T *, T);                                           \
    GPUCAL_IS(atomic_and) T atomicAnd(T *, T);                                           \
    GPUCAL_IS(atomic_or) T atomicOr(T *, T);                                             \
    GPUCAL_IS(atomic_xor) T atomicXor(T *, T);                                           \
    GPUCAL_IS(atomic_cmpxchg) T atomicCAS(T *, T, T);
GPUCAL_INTEGER_ATOMIC(int)
GPUCAL_INTEGER_ATOMIC(unsigned)
GPUCAL_INTEGER_ATOMIC(unsigned long long)
GPUCAL_ATOMIC(float)
GPUCAL_ATOMIC(double)
GPUCAL_IS(atomic_inc) unsigned atomicInc(unsigned *, unsigned);
GPUCAL_IS(atomic_dec) unsigned atomicDec(unsigned *, unsigned);

#undef GPUCAL_VECTOR
#undef GPUCAL_VECTORS
#undef GPUCAL_REAL_1
#undef GPUCAL_REAL_2
#undef GPUCAL_ATOMIC
#undef GPUCAL_INTEGER_ATOMIC
