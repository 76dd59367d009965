// What a result is of, compared with what is asked for. One key for everything that is shown: where the two
// differ, what stands on the screen belongs to something earlier, looks so, and says to what. Which part of
// the key a kind of result depends on is said in inputs.h.
//
//   if (picture.of != key_of(setup, device)) say(earlier_words({picture.of, Pending::Running}, ...));
#pragma once

#include <string>
#include <vector>

#include "app/window/jobs/setup.h"

namespace warplens::window {

// Equal keys, equal result.
struct ResultKey {
  std::string kernel;  // its file or name in the gallery, and which kernel of it
  std::string text;    // as in the editor
  std::string device;  // of the list, that modelled numbers are about; empty: they are about none
  model::SliderValues values;
  std::string given = {};   // of a user's file: to the compiler, and in place of what was assumed
  std::string target = {};  // what it is compiled for
  bool operator==(const ResultKey&) const = default;
};
ResultKey key_of(const Setup& setup, const std::string& device);

// Why what is asked for is not there.
enum class Pending { Typing, Running, NotCompiled, Failed, Stopped };

struct Earlier {
  ResultKey of;
  Pending why = Pending::Running;
};
// "Shown: stride 8, the text before the edit. This text does not compile." in the user's language.
std::string earlier_words(const Earlier& earlier, const Setup& asked, const std::string& device,
                          const Catalogue& text, const std::string& language);

// Where the lines of one text are in another: those before the first and after the last difference are the
// same. From 1; 0: it is not there any more.
class LineMap {
 public:
  LineMap() = default;  // of a text to itself
  LineMap(const std::string& then, const std::string& now);
  int then(int line_now) const;
  int now(int line_then) const;

 private:
  bool same_ = true;
  int before_ = 0, after_ = 0;  // lines that are the same
  int lines_then_ = 0, lines_now_ = 0;
};

}  // namespace warplens::window
