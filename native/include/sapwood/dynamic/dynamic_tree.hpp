#pragma once

// A tree that forgets: its class, and how it is built.
#include "sapwood/dynamic/build_dynamic.hpp"
#include "sapwood/dynamic/dynamic_tree_body.hpp"
