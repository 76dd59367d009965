#include "app/cli/cli.h"
#if WARPLENS_GUI
#include "app/window/window.h"
#endif

int main(int argc, char** argv) {
  warplens::cli::Window window;
#if WARPLENS_GUI
  window.open = &warplens::window::open;
  window.language = &warplens::window::language_of;
#endif
  return warplens::cli::run(argc, argv, window);
}
