// Whether what is shown belongs to what is asked for. What does not is earlier, looks so and says to what it
// belongs, in every panel and in exports; which inputs decide that is declared in jobs/inputs.h.
#pragma once

#include <optional>
#include <string>

#include "app/window/session/comparison.h"
#include "app/window/session/launch_choices.h"
#include "app/window/session/measuring.h"
#include "app/window/session/picture.h"

namespace warplens::window {

class Belonging {
 public:
  // What it reads of the rest of the workbench; outlives this.
  struct Reads {
    const OpenProgram& program;
    const LaunchChoices& launch;
    const NewestPicture& newest;
    const Comparison& comparison;
    const Measuring& measuring;
    const Runner& runner;
    const Settings& settings;
  };
  explicit Belonging(Reads reads) : reads_(reads) {}

  // Of a view as it stands: what the hardware has not counted is modelled.
  visual::Basis basis_of(const visual::View& view) const;
  // What a view with this basis belongs to, where that is not what is asked for.
  std::optional<Earlier> earlier(visual::Basis basis) const;
  // Numbers and costs a line, which may be those of the picture before.
  bool totals_are_earlier() const;
  // What is said to be wrong, while a newer run is on its way that may find it right.
  bool error_is_earlier() const;
  // The same in words; empty: it is of what is asked for. While the picture follows a hand closely nothing is
  // said on the screen; exports always say it.
  std::string line(visual::Basis basis, const Catalogue& text) const;
  std::string totals_line(const Catalogue& text) const;
  std::string pinned_line(const Catalogue& text) const;  // of side A, while it follows
  bool looks_earlier() const { return looks_; }

  // Time passes; `delivered`: something newer came. True when it looks otherwise than before.
  bool follow(double now, bool delivered);
  // When it will look earlier if nothing newer comes.
  std::optional<double> due() const;

 private:
  Pending pending() const;
  std::string words(const Earlier& earlier, const Catalogue& text) const;

  Reads reads_;
  std::optional<double> since_;  // what is shown is not what is asked for, and nothing newer came
  bool looks_ = false;
};

}  // namespace warplens::window
