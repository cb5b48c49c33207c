// Runs the passes in the order in which they need each other.
#include "passes/analysis.hpp"

namespace mfushim::passes {

Analysis analyze(const model::Run& run, const AnalysisOptions& options) {
  Analysis a;
  a.run = &run;
  a.view = options.view;
  std::vector<std::optional<Activity>> activities(run.ranks.size());
  a.ledgers.resize(run.ranks.size());
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    if (!run.ranks[i].work) continue;
    activities[i] = find_activity(run.ranks[i], options.view);
    a.ledgers[i] = make_ledger(*activities[i]);
    a.sum += *a.ledgers[i];
  }
  a.windows = find_windows(run);
  a.launches = find_launches(run, options.view, activities);
  a.collectives = find_collectives(run, activities);
  a.products = find_products(run);
  a.operations = find_operations(run);
  a.kernels = find_kernels(run);
  a.efficiency =
      find_efficiency(run, a.ledgers, a.products, a.operations, a.kernels, options.efficiency);
  a.coverage = find_coverage(run);
  a.steps = find_marked_steps(run);
  return a;
}

}  // namespace mfushim::passes
