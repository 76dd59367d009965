// Sites of a run by the text of their source line, and what they add up to.
#pragma once

#include "app/lesson/formula.h"
#include "engine/analysis/report.h"

namespace warplens::lesson {

// Whether the site's line contains the text (blanks count once), and its kind and space are as asked.
// Reading parameters is nobody's access.
bool matches(const trace::Site& site, const SiteQuery& query);
// The words there are for kinds and spaces of a query.
std::vector<std::string> site_kinds();
std::vector<std::string> site_spaces();
// field: "sectors", "wavefronts_per_request", ...; the errors list the fields, or the lines there are.
Result<double> site_value(const analysis::Report& report, const SiteQuery& query, const std::string& field);
// "there is no load in a line with '...'; lines with one are: ..."
Error no_site(const std::vector<trace::Site>& sites, const SiteQuery& query);

}  // namespace warplens::lesson
