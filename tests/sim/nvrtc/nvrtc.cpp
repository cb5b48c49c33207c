// libnvrtc.so.N: accepts every source and "compiles" it to an image of which only the kernels'
// names matter.
//
// Declarations after NVRTC's public API; its header is not among those that the build needs.
#include <cstddef>
#include <cstring>
#include <set>
#include <string>

#define MFUSIM_NVRTC extern "C" __attribute__((visibility("default"))) int

namespace {

// nvrtcResult
constexpr int kSuccess = 0, kInvalidInput = 3, kInvalidProgram = 4;
// What the driver double takes for an image that it need not look into.
constexpr char kImage[] = "compiled by nobody";

struct Program {
  std::set<std::string> names;  // as somebody asked for them; they are their own lowered names
};

Program* of(void* program) {
  return static_cast<Program*>(program);
}

int size_of(void* program, size_t* bytes) {
  if (!program) return kInvalidProgram;
  if (!bytes) return kInvalidInput;
  *bytes = sizeof kImage;
  return kSuccess;
}
int copy_to(void* program, char* out) {
  if (!program) return kInvalidProgram;
  if (!out) return kInvalidInput;
  memcpy(out, kImage, sizeof kImage);
  return kSuccess;
}

}  // namespace

MFUSIM_NVRTC nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return kInvalidInput;
  *major = MFUSIM_CUDA_MAJOR;
  *minor = 0;
  return kSuccess;
}
extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(int result) {
  return result == kSuccess ? "NVRTC_SUCCESS" : "NVRTC_ERROR";
}

MFUSIM_NVRTC nvrtcCreateProgram(void** out, const char* source, const char*, int,
                                const char* const*, const char* const*) {
  if (!out || !source) return kInvalidInput;
  *out = new Program;
  return kSuccess;
}
MFUSIM_NVRTC nvrtcDestroyProgram(void** program) {
  if (!program) return kInvalidProgram;
  delete of(*program);
  *program = nullptr;
  return kSuccess;
}
MFUSIM_NVRTC nvrtcAddNameExpression(void* program, const char* expression) {
  if (!program) return kInvalidProgram;
  if (!expression) return kInvalidInput;
  of(program)->names.insert(expression);
  return kSuccess;
}
MFUSIM_NVRTC nvrtcCompileProgram(void* program, int, const char* const*) {
  return program ? kSuccess : kInvalidProgram;
}
MFUSIM_NVRTC nvrtcGetLoweredName(void* program, const char* expression, const char** out) {
  if (!program) return kInvalidProgram;
  const auto found = of(program)->names.find(expression);
  if (found == of(program)->names.end()) return kInvalidInput;
  *out = found->c_str();
  return kSuccess;
}

MFUSIM_NVRTC nvrtcGetProgramLogSize(void* program, size_t* bytes) {
  if (!program) return kInvalidProgram;
  *bytes = 1;  // the empty text
  return kSuccess;
}
MFUSIM_NVRTC nvrtcGetProgramLog(void* program, char* out) {
  if (!program) return kInvalidProgram;
  *out = '\0';
  return kSuccess;
}
MFUSIM_NVRTC nvrtcGetCUBINSize(void* program, size_t* bytes) {
  return size_of(program, bytes);
}
MFUSIM_NVRTC nvrtcGetCUBIN(void* program, char* out) {
  return copy_to(program, out);
}
MFUSIM_NVRTC nvrtcGetPTXSize(void* program, size_t* bytes) {
  return size_of(program, bytes);
}
MFUSIM_NVRTC nvrtcGetPTX(void* program, char* out) {
  return copy_to(program, out);
}
MFUSIM_NVRTC nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return kSuccess;
}
MFUSIM_NVRTC nvrtcGetSupportedArchs(int* archs) {
  *archs = 90;
  return kSuccess;
}
