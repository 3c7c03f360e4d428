#include "store/ingester.hpp"

#include "store/header_json.hpp"
#include "store/pg.hpp"
