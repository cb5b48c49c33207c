// The truth file: what the simulator knows to have happened, one JSON object a line, for tests to
// compare with.
#pragma once
#include <cstdint>
#include <string>

namespace mfusim::truth {

// False when MFUSIM_TRUTH is unset: callers then build no line at all.
bool wanted();

// Appends one line (no newline in it). Buffered; written out every 100 ms and at exit.
void line(const std::string& json_object);

// A JSON object under construction.
class Object {
 public:
  explicit Object(const char* kind);
  Object& add(const char* key, uint64_t value);
  Object& add(const char* key, double value);
  Object& add(const char* key, const char* text);
  Object& add(const char* key, const uint32_t (&triple)[3]);
  void write();

 private:
  void add_key(const char* key);
  void add_number(uint64_t value);

  std::string text_;
};

// The first line of the file, and the flusher; called when the driver is initialised.
void open_process();

// fork: the parent holds the buffer still; the child forgets it, since the parent will write it.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

}  // namespace mfusim::truth
