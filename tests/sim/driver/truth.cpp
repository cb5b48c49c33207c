// Writes the truth file of this process.
#include "truth.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "gpu_model.hpp"
#include "guard.hpp"

namespace mfusim::truth {
namespace {

constexpr auto kFlushPeriod = std::chrono::milliseconds(100);
constexpr size_t kFlushBytes = 1 << 16;
constexpr size_t kTypicalLine = 512;  // room that a kernel's line seldom outgrows

struct File {
  std::mutex mutex;
  std::string buffer;
  int fd = -1;
  bool flusher = false;
  bool exiting = false;  // after the last flush each line is written at once

  void flush() {
    size_t done = 0;
    while (fd >= 0 && done < buffer.size()) {
      const ssize_t n = ::write(fd, buffer.data() + done, buffer.size() - done);
      if (n <= 0) break;
      done += size_t(n);
    }
    buffer.clear();
  }
};

// Never destroyed: other libraries' exit handlers still launch work.
File& file() {
  static File* f = new File;
  return *f;
}

const char* directory() {
  static const char* dir = [] {
    const char* text = getenv("MFUSIM_TRUTH");
    return text && *text ? text : nullptr;
  }();
  return dir;
}

void flush_forever() {
  for (;;) {
    std::this_thread::sleep_for(kFlushPeriod);
    std::lock_guard lock(file().mutex);
    file().flush();
  }
}

void escape(std::string& out, const char* text) {
  out += '"';
  for (; *text; ++text) {
    const unsigned char c = static_cast<unsigned char>(*text);
    if (c == '"' || c == '\\') out += '\\';
    if (c < 0x20) {
      char code[8];
      snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += char(c);
    }
  }
  out += '"';
}

std::string command_line() {
  std::string text;
  if (FILE* f = fopen("/proc/self/cmdline", "re")) {
    char part[4096];
    const size_t n = fread(part, 1, sizeof part, f);
    fclose(f);
    text.assign(part, n);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) c = c ? c : ' ';
  return text;
}

// Caller holds the mutex.
void open_file(File& f) {
  mkdir(directory(), 0777);
  const std::string path =
      std::string(directory()) + "/truth-" + std::to_string(getpid()) + ".jsonl";
  f.fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (f.fd < 0) fprintf(stderr, "mfusim: cannot write %s\n", path.c_str());
}

__attribute__((destructor)) void flush_at_exit() {
  if (file().fd >= 0) report_vendor_libraries();
  std::lock_guard lock(file().mutex);
  file().flush();
  file().exiting = true;
}

}  // namespace

bool wanted() {
  return directory() != nullptr;
}

void line(const std::string& json_object) {
  if (!wanted()) return;
  File& f = file();
  std::lock_guard lock(f.mutex);
  if (f.fd == -1) open_file(f);
  if (!f.flusher && !f.exiting) {
    f.flusher = true;
    std::thread(flush_forever).detach();
  }
  f.buffer += json_object;
  f.buffer += '\n';
  if (f.exiting || f.buffer.size() >= kFlushBytes) f.flush();
}

Object::Object(const char* kind) {
  text_.reserve(kTypicalLine);
  text_.append("{\"t\":\"").append(kind).append("\"");
}

void Object::add_key(const char* key) {
  text_.append(",\"").append(key).append("\":");
}

void Object::add_number(uint64_t value) {
  char digits[20];
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

Object& Object::add(const char* key, uint64_t value) {
  add_key(key);
  add_number(value);
  return *this;
}

Object& Object::add(const char* key, double value) {
  add_key(key);
  char digits[32];
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return *this;
}

Object& Object::add(const char* key, const char* text) {
  add_key(key);
  escape(text_, text);
  return *this;
}

Object& Object::add(const char* key, const uint32_t (&triple)[3]) {
  add_key(key);
  for (int i = 0; i < 3; ++i) {
    text_ += i ? ',' : '[';
    add_number(triple[i]);
  }
  text_ += ']';
  return *this;
}

void Object::write() {
  text_ += '}';
  line(text_);
}

void open_process() {
  if (!wanted()) return;
  Object("process")
      .add("pid", uint64_t(getpid()))
      .add("command", command_line().c_str())
      .add("rank", getenv("RANK") ? getenv("RANK") : "")
      .add("gpu", gpu_model().name.c_str())
      .write();
}

void before_fork() {
  file().mutex.lock();
}
void after_fork_in_parent() {
  file().mutex.unlock();
}

void after_fork_in_child() {
  File& f = file();
  f.buffer.clear();
  if (f.fd >= 0) ::close(f.fd);
  f.fd = -1;
  f.flusher = false;
  f.mutex.unlock();
}

}  // namespace mfusim::truth
