// Command lines: CLI11's errors as ours, suggestions for misspelt words, numbers with exponents.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "commands/command.hpp"

namespace mfushim::commands {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

bool parse_arguments(CLI::App& app, const Arguments& arguments) {
  app.allow_extras();
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  const auto extras = app.remaining();
  if (extras.empty()) return true;
  const std::string word = extras[0].substr(0, extras[0].find('='));
  const bool option = word.size() > 1 && word[0] == '-';
  const std::string near = option ? nearest(word, option_names(app)) : std::string{};
  throw UsageError((option ? "unknown option '" : "unexpected argument '") + word + "'" +
                   (near.empty() ? std::string{} : "; did you mean '" + near + "'?"));
}

double parse_number(std::string_view option, const std::string& text) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last || !std::isfinite(value))
    throw UsageError(std::string(option) + " needs a number, not '" + text + "'");
  // Nothing that is counted or timed is beyond; within, no product of options overflows.
  constexpr double kMost = 1e30;
  if (std::abs(value) > kMost || (value != 0 && std::abs(value) < 1 / kMost))
    throw UsageError(std::string(option) + " is out of all range: '" + text + "'");
  return value;
}

}  // namespace mfushim::commands
