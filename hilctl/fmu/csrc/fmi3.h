/* What the unit needs of FMI 3.0: the types by the standard's names, and FMI(), which begins each of its functions. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define fmi3Version "3.0"

typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef int16_t fmi3Int16;
typedef int32_t fmi3Int32;
typedef int64_t fmi3Int64;
typedef uint8_t fmi3UInt8;
typedef uint16_t fmi3UInt16;
typedef uint32_t fmi3UInt32;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef uint8_t fmi3Byte;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
typedef uint32_t fmi3ValueReference;
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;

/* By their order: an importer has the numbers. */
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(
    fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished,
    fmi3Boolean may_return, fmi3Boolean *returns, fmi3Float64 *return_time);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* Who compiles the sources into a program gives the functions a prefix; a library exports them as they are. */
#if defined FMI3_OVERRIDE_FUNCTION_PREFIX
#ifdef FMI3_ACTUAL_FUNCTION_PREFIX
#define FMI_PREFIX FMI3_ACTUAL_FUNCTION_PREFIX
#endif
#elif defined FMI3_FUNCTION_PREFIX
#define FMI_PREFIX FMI3_FUNCTION_PREFIX
#endif

#if defined FMI_PREFIX
#define FMI_EXPORT
#define FMI_PUT(prefix, name) prefix##name
#define FMI_PUT_BEFORE(prefix, name) FMI_PUT(prefix, name)
#define FMI_NAME(name) FMI_PUT_BEFORE(FMI_PREFIX, name)
#else
#if defined _WIN32
#define FMI_EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define FMI_EXPORT __attribute__((visibility("default")))
#else
#define FMI_EXPORT
#endif
#define FMI_NAME(name) name
#endif
#define FMI(type, name) FMI_EXPORT type FMI_NAME(name)
