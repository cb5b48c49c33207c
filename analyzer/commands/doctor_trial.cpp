// Starts, waits for and ends the process group of a trial.
#include "commands/doctor_trial.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "commands/recorder.hpp"

namespace mfushim::commands {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLastWords{5};
constexpr int kNoSuchProgram = 127;  // as a shell has it

// The signals that run_trial waits for instead of being ended by them.
sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

[[noreturn]] void become_trial(const std::vector<std::string>& command, const std::string& recorder,
                               const std::string& folder, const sigset_t& before) {
  setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  setenv("MFUSHIM_OUT", folder.c_str(), 1);
  setenv("MFUSHIM_VERBOSE", "1", 1);
  unsetenv("MFUSHIM_DISABLE");
  preload(recorder);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(kNoSuchProgram);
}

// Whether the child has ended by then; its status in `status`. An interruption counts as the time.
bool wait_until(pid_t child, Clock::time_point end, int& status) {
  const sigset_t set = awaited();
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    const auto left = end - Clock::now();
    if (left <= left.zero()) return false;
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec time = {whole.count(), (left - whole).count()};
    const int signal = sigtimedwait(&set, nullptr, &time);
    if (signal > 0 && signal != SIGCHLD) return false;
  }
}

}  // namespace

Trial run_trial(const std::vector<std::string>& command, const std::string& recorder,
                const std::string& folder, double seconds) {
  const sigset_t set = awaited();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &set, &before);
  Trial trial;
  const pid_t child = fork();
  if (child == 0) become_trial(command, recorder, folder, before);
  int status = 0;
  if (child > 0) {
    setpgid(child, child);  // whichever of us comes first
    const auto time =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    trial.was_stopped = !wait_until(child, Clock::now() + time, status);
    kill(-child, SIGTERM);
    if (trial.was_stopped && !wait_until(child, Clock::now() + kLastWords, status)) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
    }
    if (WIFEXITED(status)) trial.exit_code = WEXITSTATUS(status);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return trial;
}

}  // namespace mfushim::commands
