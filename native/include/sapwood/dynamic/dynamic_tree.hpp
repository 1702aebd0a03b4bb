#pragma once

// A tree that forgets: its class, how it is built, and how it forgets.
#include "sapwood/dynamic/build_dynamic.hpp"
#include "sapwood/dynamic/dynamic_tree_body.hpp"
#include "sapwood/dynamic/forget_dynamic.hpp"
