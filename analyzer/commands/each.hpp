// The functions that the table of commands points to, each in a file of its own.
#pragma once

#include "commands/command.hpp"

namespace mfushim::commands {

int assemble(const Arguments& arguments);
int calc(const Arguments& arguments);
int doctor(const Arguments& arguments);
int dump(const Arguments& arguments);
int explain(const Arguments& arguments);
int import_traces(const Arguments& arguments);
int peak(const Arguments& arguments);
int report(const Arguments& arguments);
int run(const Arguments& arguments);

}  // namespace mfushim::commands
