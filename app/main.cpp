#include "app/cli/cli.h"

int main(int argc, char** argv) {
  return warplens::cli::run(argc, argv);
}
