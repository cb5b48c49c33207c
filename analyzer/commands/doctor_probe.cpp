// The vendor's public functions, declared here since the analyzer has none of its headers.
#include "commands/doctor_probe.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace mfushim::commands {

namespace {

constexpr unsigned kPatienceSeconds = 30;  // a first start of the driver takes seconds
constexpr int kConcurrentKernel = 10;      // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL

struct Library {
  void* handle = nullptr;

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }
  std::string path() const {
    link_map* map = nullptr;
    return handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
  }
};

Library open_library(const std::string& name) {
  return {dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)};
}

std::string error_text(const char* what, int result, const char* name) {
  return fmt::format("{}: error {}{}{}", what, result, name ? ", " : "", name ? name : "");
}

LibraryAnswer ask_driver(std::vector<std::string>& devices) {
  LibraryAnswer answer;
  const Library driver = open_library("libcuda.so.1");
  if (!driver.handle) return {{}, 0, "there is no libcuda.so.1"};
  answer.path = driver.path();
  const auto version = driver.find<int(int*)>("cuDriverGetVersion");
  const auto start = driver.find<int(unsigned)>("cuInit");
  const auto count = driver.find<int(int*)>("cuDeviceGetCount");
  const auto name_of = driver.find<int(char*, int, int)>("cuDeviceGetName");
  const auto error_name = driver.find<int(int, const char**)>("cuGetErrorName");
  if (version) version(&answer.version);
  int result = start ? start(0) : -1, number = 0;
  if (result == 0) result = count ? count(&number) : -1;
  const char* name = nullptr;
  if (result != 0) {
    if (error_name) error_name(result, &name);
    answer.problem = error_text("cuInit", result, name);
  } else if (number == 0) {
    answer.problem = "no GPU is visible";
  }
  for (int i = 0; i < number; ++i) {
    char text[256] = "";
    if (name_of && name_of(text, sizeof text, i) == 0) devices.emplace_back(text);
  }
  return answer;
}

// CUPTI of the driver's CUDA version, else of an older one, as the recorder looks for it where the
// program has loaded none.
Library find_cupti(int driver_version) {
  for (int major = driver_version / 1000; major >= 11; --major) {
    const std::string name = "libcupti.so." + (major == 11 ? "11.8" : std::to_string(major));
    if (const Library found = open_library(name); found.handle) return found;
    if (const char* const home = std::getenv("CUDA_HOME"))
      if (const Library found = open_library(std::string(home) + "/extras/CUPTI/lib64/" + name);
          found.handle)
        return found;
  }
  return {};
}

LibraryAnswer ask_cupti(int driver_version) {
  const Library cupti = find_cupti(driver_version);
  if (!cupti.handle) return {{}, 0, "no CUPTI library found"};
  LibraryAnswer answer{cupti.path(), 0, {}};
  if (const auto version = cupti.find<int(std::uint32_t*)>("cuptiGetVersion")) {
    std::uint32_t number = 0;
    if (version(&number) == 0) answer.version = static_cast<int>(number);
  }
  const auto subscribe = cupti.find<int(void**, void*, void*)>("cuptiSubscribe");
  const auto unsubscribe = cupti.find<int(void*)>("cuptiUnsubscribe");
  const auto enable = cupti.find<int(int)>("cuptiActivityEnable");
  const auto disable = cupti.find<int(int)>("cuptiActivityDisable");
  const auto text_of = cupti.find<int(int, const char**)>("cuptiGetResultString");
  if (!subscribe || !unsubscribe || !enable || !disable) {
    answer.problem = "functions are missing";
    return answer;
  }
  const auto explain = [&](const char* what, int result) {
    const char* text = nullptr;
    if (text_of) text_of(result, &text);
    answer.problem = error_text(what, result, text);
  };
  void* subscriber = nullptr;
  void (*const ignore)(void*, int, std::uint32_t, const void*) = [](void*, int, std::uint32_t,
                                                                    const void*) {};
  if (const int result = subscribe(&subscriber, reinterpret_cast<void*>(ignore), nullptr)) {
    explain("cuptiSubscribe", result);
    return answer;
  }
  if (const int result = enable(kConcurrentKernel))
    explain("cuptiActivityEnable", result);
  else
    disable(kConcurrentKernel);
  unsubscribe(subscriber);
  return answer;
}

LibraryAnswer ask_nvml() {
  const Library nvml = open_library("libnvidia-ml.so.1");
  if (!nvml.handle) return {{}, 0, "there is no libnvidia-ml.so.1"};
  LibraryAnswer answer{nvml.path(), 0, {}};
  const auto start = nvml.find<int()>("nvmlInit_v2");
  if (const int result = start ? start() : -1)
    answer.problem = error_text("nvmlInit_v2", result, nullptr);
  return answer;
}

nlohmann::json as_json(const LibraryAnswer& answer) {
  return {answer.path, answer.version, answer.problem};
}
LibraryAnswer answer_of(const nlohmann::json& from) {
  return {from[0].get<std::string>(), from[1].get<int>(), from[2].get<std::string>()};
}

std::string ask_all() {
  nlohmann::json all;
  std::vector<std::string> devices;
  const LibraryAnswer driver = ask_driver(devices);
  all["driver"] = as_json(driver);
  all["devices"] = devices;
  all["cupti"] = as_json(driver.problem.empty() ? ask_cupti(driver.version) : LibraryAnswer{});
  all["nvml"] = as_json(ask_nvml());
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

[[noreturn]] void answer_and_end(int to) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(kPatienceSeconds);
  const std::string text = ask_all();
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(to, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  _exit(0);  // exit handlers of what is loaded are not wanted
}

}  // namespace

Probe probe_libraries() {
  Probe probe;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    probe.driver.problem = "no process to ask it in";
    return probe;
  }
  const pid_t child = fork();
  if (child == 0) answer_and_end(ends[1]);
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; child > 0 && (n = ::read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  const auto all = nlohmann::json::parse(text, nullptr, false);
  if (all.is_discarded()) {
    probe.driver.problem = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                               ? "it does not answer"
                               : "the process that asked it has died";
    return probe;
  }
  probe.driver = answer_of(all["driver"]);
  probe.devices = all["devices"].get<std::vector<std::string>>();
  probe.cupti = answer_of(all["cupti"]);
  probe.nvml = answer_of(all["nvml"]);
  return probe;
}

}  // namespace mfushim::commands
