// Which function a program reaches through the preloaded recorder, by every door there is: linked,
// looked up with dlsym, looked up with cuGetProcAddress. The libraries are small stand-ins under
// the vendor's names (doors/); ctest preloads the recorder.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>

namespace {

using Number = int (*)();
using GetProc = int (*)(const char*, void**, int, std::uint64_t);
using GetProc2 = int (*)(const char*, void**, int, std::uint64_t, int*);

constexpr int kNotSupported = 801;
constexpr std::uint64_t kPerThread = 2;

void* open_library(const char* name, int mode = RTLD_NOW | RTLD_LOCAL) {
  void* const handle = dlopen(name, mode);
  INFO(dlerror());
  REQUIRE(handle != nullptr);
  return handle;
}

template <class Function = Number>
Function look_up(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

// Whether a pointer leads into the recorder.
bool is_hooked(const void* pointer) {
  Dl_info info;
  return dladdr(pointer, &info) != 0 &&
         std::string(info.dli_fname).find("libmfushim.so") != std::string::npos;
}

void* get_proc(const char* name, int version, std::uint64_t flags) {
  const auto get = look_up<GetProc2>(open_library("libcuda.so.1"), "cuGetProcAddress_v2");
  void* function = nullptr;
  REQUIRE(get(name, &function, version, flags, nullptr) == 0);
  return function;
}

int call(void* function) {
  return reinterpret_cast<Number>(function)();
}

}  // namespace

TEST_CASE("the recorder is preloaded") {
  void* const runtime = open_library("libcudart.so.13");
  CHECK(is_hooked(dlsym(runtime, "cudaDeviceSynchronize")));
}

TEST_CASE("a linked caller reaches the major that it is linked to") {
  void* const one = open_library("libdoor_plugin12.so");
  void* const other = open_library("libdoor_plugin13.so");
  for (int i = 0; i < 3; ++i) {
    CHECK(look_up(one, "plugin_synchronize")() == 1200);
    CHECK(look_up(other, "plugin_synchronize")() == 1300);
  }
}

TEST_CASE("a function that the library lacks answers not supported") {
  void* const plugin = open_library("libdoor_plugin12.so", RTLD_LAZY | RTLD_LOCAL);
  CHECK(look_up(plugin, "plugin_event")() == kNotSupported);
}

TEST_CASE("a pointer looked up leads to the library asked, and is the same each time") {
  void* const one = dlsym(open_library("libcudart.so.12"), "cudaDeviceSynchronize");
  void* const other = dlsym(open_library("libcudart.so.13"), "cudaDeviceSynchronize");
  CHECK(is_hooked(one));
  CHECK(is_hooked(other));
  CHECK(call(one) == 1200);
  CHECK(call(other) == 1300);
  CHECK(dlsym(open_library("libcudart.so.12"), "cudaDeviceSynchronize") == one);
}

TEST_CASE("a trampoline under the vendor's name is passed through once") {
  void* const trampoline = open_library("libdoor_trampoline.so", RTLD_NOW | RTLD_GLOBAL);
  void* const user = open_library("libdoor_trampoline_user.so");
  CHECK(look_up(user, "plugin_synchronize")() == 1200);
  CHECK(look_up(trampoline, "trampoline_calls")() == 1);
}

TEST_CASE("each of two providers of NCCL's names is reached by its own callers") {
  void* const user = open_library("libdoor_nccl_user.so");
  void* const second_user = open_library("libdoor_second_nccl_user.so");
  void* const nccl = dlsym(open_library("libnccl.so.2"), "ncclGroupStart");
  void* const second = dlsym(open_library("libdoor_second_nccl.so"), "ncclGroupStart");
  CHECK(is_hooked(nccl));
  CHECK(is_hooked(second));
  CHECK(call(nccl) == 1);
  CHECK(call(second) == 11);
  CHECK(look_up(user, "user_start")() == 1);
  CHECK(look_up(second_user, "user_start")() == 11);
}

TEST_CASE("RTLD_NEXT still means next after the caller") {
  void* const first = open_library("libdoor_first.so");
  CHECK(look_up(first, "door_value")() == 1);
  CHECK(look_up(first, "door_next_value")() == 2);
}

TEST_CASE("the state of dlerror is the real dlsym's") {
  void* const runtime = open_library("libcudart.so.13");
  dlerror();
  CHECK(dlsym(runtime, "cudaDeviceSynchronize") != nullptr);
  CHECK(dlerror() == nullptr);
  CHECK(dlsym(runtime, "cudaEventSynchronize") == nullptr);
  const char* const error = dlerror();
  REQUIRE(error != nullptr);
  CHECK(std::string(error).find("undefined symbol: cudaEventSynchronize") != std::string::npos);
}

TEST_CASE("what no loaded library has is not found in the global scope") {
  dlerror();
  CHECK(dlsym(RTLD_DEFAULT, "ncclAllReduce") == nullptr);
  CHECK(dlerror() != nullptr);
  CHECK(dlsym(dlopen(nullptr, RTLD_LAZY), "ncclAllReduce") == nullptr);
}

TEST_CASE("the driver finds its own functions") {
  void* const driver = open_library("libcuda.so.1");
  const auto look = look_up<void* (*)(const char*)>(driver, "door_lookup_by_driver");
  CHECK_FALSE(is_hooked(look("cuStreamSynchronize")));
  CHECK(is_hooked(dlsym(driver, "cuStreamSynchronize")));
}

TEST_CASE("cuGetProcAddress hands out the variant that the driver chose") {
  struct Case {
    const char* name;
    int version;
    std::uint64_t flags;
    const char* symbol;
    int number;
  };
  const Case cases[] = {{"cuStreamSynchronize", 2000, 0, "cuStreamSynchronize", 1},
                        {"cuStreamSynchronize", 7000, kPerThread, "cuStreamSynchronize_ptsz", 2},
                        {"cuStreamSynchronize", 2000, kPerThread, "cuStreamSynchronize", 1},
                        {"cuStreamSynchronize", 13000, 0, "cuStreamSynchronize", 1},
                        {"cuMemFree", 2000, 0, "cuMemFree", 3},
                        {"cuMemFree", 3020, 0, "cuMemFree_v2", 4},
                        {"cuMemFree", 13000, kPerThread, "cuMemFree_v2", 4}};
  std::map<std::string, void*> entries;  // one for each function of the driver
  for (const Case& c : cases) {
    INFO(c.name << " " << c.version << " " << c.flags);
    void* const function = get_proc(c.name, c.version, c.flags);
    CHECK(is_hooked(function));
    CHECK(entries.emplace(c.symbol, function).first->second == function);
    CHECK(call(function) == c.number);
  }
  CHECK(entries.size() == 4);
}

TEST_CASE("what cuGetProcAddress answers beyond our rows stays as it is") {
  CHECK_FALSE(is_hooked(get_proc("cuDeviceGetCount", 2000, 0)));
  CHECK(call(get_proc("cuDeviceGetCount", 2000, 0)) == 5);
  // Newer than the headers of this build: an ABI that no row describes ...
  CHECK_FALSE(is_hooked(get_proc("cuMemFree", 90000, 0)));
  CHECK(call(get_proc("cuMemFree", 90000, 0)) == 6);
  // ... and one that is told by its address.
  CHECK(is_hooked(get_proc("cuStreamSynchronize", 90000, 0)));
}

TEST_CASE("cuGetProcAddress is its own entry point, in both ABIs") {
  const auto four = reinterpret_cast<GetProc>(get_proc("cuGetProcAddress", 11030, 0));
  const auto five = reinterpret_cast<GetProc2>(get_proc("cuGetProcAddress", 12000, 0));
  void* function = nullptr;
  int status = 0;
  CHECK(is_hooked(reinterpret_cast<void*>(four)));
  CHECK(is_hooked(reinterpret_cast<void*>(five)));
  CHECK(four("cuMemFree", &function, 3020, 0) == 0);
  CHECK(is_hooked(function));
  CHECK(five("cuMemFree", &function, 3020, 0, &status) == 0);
  CHECK(is_hooked(function));
  CHECK(status == 7);
  CHECK(five("", &function, 0, 0, nullptr) == 0);
  CHECK(five("", nullptr, 0, 0, nullptr) == 0);
  CHECK(four("cuNoSuchFunction", &function, 2000, 0) == 500);
}

// What the log then says of it, the test coverage.traps reads.
TEST_CASE("a look-up of what is newer than the recorder is handed through", "[told]") {
  void* const driver = open_library("libcuda.so.1");
  CHECK(call(get_proc("cuMemFree", 90000, 0)) == 6);
  CHECK(call(dlsym(driver, "cuLaunchTomorrow")) == 7);
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void*, void**, void**);
  const auto launch = look_up<Launch>(driver, "cuLaunchKernel");
  CHECK(launch(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 0);
}

TEST_CASE("a variant is told by name, version and flags where its address tells nothing",
          "[told]") {
  using Copy = int (*)(std::uint64_t, std::uint64_t, std::size_t, void*);
  for (const auto& [version, flags] : {std::pair{4000, std::uint64_t{0}}, {7000, kPerThread}})
    CHECK(reinterpret_cast<Copy>(get_proc("cuMemcpyAsync", version, flags))(1, 2, 3, nullptr) == 0);
  using Upload = int (*)(std::uint64_t, const void*, std::size_t);
  for (const int version : {2000, 3020})
    CHECK(reinterpret_cast<Upload>(get_proc("cuMemcpyHtoD", version, 0))(1, nullptr, 3) == 0);
}
