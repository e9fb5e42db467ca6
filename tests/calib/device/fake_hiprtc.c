/* fake_hiprtc.c - the compiler of fake_nvrtc.c as a libhiprtc.so */
#define nvrtcCreateProgram     hiprtcCreateProgram
#define nvrtcDestroyProgram    hiprtcDestroyProgram
#define nvrtcAddNameExpression hiprtcAddNameExpression
#define nvrtcCompileProgram    hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog     hiprtcGetProgramLog
#define nvrtcGetLoweredName    hiprtcGetLoweredName
#define nvrtcGetCUBINSize      hiprtcGetCodeSize
#define nvrtcGetCUBIN          hiprtcGetCode

#include "fake_nvrtc.c"
