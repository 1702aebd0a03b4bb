// The account of a certified search: what it allows, by its own arithmetic.
#include "sapwood/search/certified/account.hpp"

#include <cstdint>
#include <random>

#include "check.hpp"

namespace {

using namespace sapwood;
using Binary = Account<BinaryPrices>;
using Multiclass = Account<MulticlassPrices>;

/// An account of a node with this number of features, after some queries of one point each, answered by scans.
Binary after_scans(std::size_t features, int queries) {
    Binary account;
    account.set_features(features);
    for (int i = 1; i <= queries; ++i) {
        account.begin_query(i, 0);
        account.pay_for_scan(features);
    }
    return account;
}

void a_query_saves_what_the_exhaustive_search_would_spend() {
    Binary account;
    account.set_features(100);
    account.begin_query(10, 30);
    CHECK(account.saved() == 130);
    CHECK(account.gap() == 10);
    // Counting is worth at most two looks at every feature.
    account.begin_query(12, 1030);
    CHECK(account.saved() == 130 + 100 + 200);
    CHECK(account.gap() == 2);
    // After removals there may be fewer points than before.
    account.begin_query(5, 1030);
    CHECK(account.gap() == 1);
    CHECK(account.spent() == 0);
}

void everything_has_its_price() {
    Binary two;
    two.pay_for_candidates(7);
    CHECK(two.spent() == 14);
    two.pay_for_grant(3);
    CHECK(two.spent() == 14 + 40);
    two.pay_for_run_out(2);
    CHECK(two.spent() == 54 + 30);
    two.pay_for_scan(50);
    CHECK(two.spent() == 84 + 50);
    CHECK(two.scores() == 57 && two.scans() == 1 && two.features() == 50);
    Multiclass more;
    more.pay_for_candidates(7);
    more.pay_for_grant(3);
    more.pay_for_run_out(2);
    CHECK(more.spent() == 7 + 19 + 2);
}

void few_candidates_cost_at_most_half_a_scan() {
    Binary two;
    two.set_features(100);
    CHECK(two.are_few(25));
    CHECK(!two.are_few(26));
    Multiclass more;
    more.set_features(100);
    CHECK(more.are_few(50));
    CHECK(!more.are_few(51));
}

void overdrawn_beyond_one_and_three_quarters() {
    Binary account;
    account.set_features(100);
    for (int i = 1; i <= 8; ++i) account.begin_query(i, 0);
    CHECK(account.saved() == 800);
    account.pay(800 + 600 + 800);
    CHECK(!account.is_overdrawn());
    account.pay(1);
    CHECK(account.is_overdrawn());
    account.begin_query(9, 0);
    CHECK(!account.is_overdrawn());
}

void the_first_renewal_is_on_credit_after_a_scan() {
    Binary account;
    account.set_features(100);
    account.begin_query(1, 100);
    CHECK(account.judge_renewal(account.price_of_all()) == Binary::Verdict::too_dear);
    account.pay_for_scan(100);
    account.pay(1'000'000);
    CHECK(account.judge_renewal(account.price_of_all()) == Binary::Verdict::affordable);
}

void a_renewal_in_vain_puts_the_next_off_for_twice_as_long() {
    Binary account = after_scans(100, 1000);
    Count n = 1000;
    for (const int wait : {1, 3, 7, 15, 31, 62, 62}) {
        account.open_renewal();
        account.begin_renewal();
        account.end_renewal(10, 1);
        CHECK(!account.is_put_off());
        account.pay(1'000);  // more than nothing has been saved since
        CHECK(account.judge_renewal(0) == Binary::Verdict::last_was_in_vain);
        int waited = 0;
        while (account.is_put_off()) ++waited;
        // At most a sixteenth of the queries so far, and one.
        CHECK(waited == (wait < 62 ? wait : n / 16 + 1));
    }
    // One that has paid lets the next come at once, and the one after wait as long as the first.
    account.open_renewal();
    account.begin_renewal();
    for (int i = 0; i < 1000; ++i) account.begin_query(++n, 0);
    account.end_renewal(10, 1);
    CHECK(account.judge_renewal(0) == Binary::Verdict::affordable);
    CHECK(account.judge_renewal(0) == Binary::Verdict::affordable);
    // So does one that leaves many candidates.
    account.open_renewal();
    account.begin_renewal();
    account.end_renewal(10, 51);
    CHECK(account.is_put_off());
    CHECK(!account.is_put_off());
}

void renewals_stop_at_one_and_a_quarter() {
    Binary account = after_scans(100, 100);
    account.open_renewal();
    account.begin_renewal();
    account.begin_query(101, 0);
    account.begin_query(102, 0);
    account.end_renewal(0, 0);
    const std::uint64_t allowed = account.saved() + account.saved() / 4 + 8 * 100;
    CHECK(account.spent() < allowed);
    CHECK(account.judge_renewal(allowed - account.spent()) == Binary::Verdict::affordable);
    CHECK(account.judge_renewal(allowed - account.spent() + 1) == Binary::Verdict::too_dear);
}

void a_renewal_costs_as_much_as_the_last_in_proportion() {
    Binary account;
    account.set_features(1000);
    CHECK(account.price_of_all() == 1000 + Binary::overhead);
    account.open_renewal();
    account.begin_renewal();
    const std::uint64_t before = account.spent();
    account.pay(872);
    account.charge_to_renewal(before);
    account.end_renewal(136, 0);
    CHECK(account.price_of_listed(136) == 872 + Binary::overhead);
    CHECK(account.price_of_listed(36) == (872 + Binary::overhead) / 2);
    // Rent or buy, both ways.
    CHECK(account.was_renewal_dear());
    account.pay_for_candidates(250);
    CHECK(!account.was_renewal_dear());
    CHECK(!account.are_candidates_dear(250));
    CHECK(account.are_candidates_dear(249));
    CHECK(!account.are_candidates_dear(249));
}

void reviews_without_effect_become_rare() {
    Binary account;
    account.begin_query(80, 0);
    account.schedule_review(10);
    CHECK(!account.is_review_due());
    account.begin_query(80 + 10 + 3, 0);
    CHECK(!account.is_review_due());
    account.begin_query(80 + 10 + 4, 0);
    CHECK(account.is_review_due());
    const auto candidates_until_due = [&] {
        account.schedule_review(10);
        std::uint64_t looks = 0;
        for (; !account.is_review_due(); ++looks) account.pay_for_candidates(1);
        return looks - 1;
    };
    const std::uint64_t price = (10 * BinaryPrices::check + Binary::overhead) / BinaryPrices::candidate;
    for (const std::uint64_t patience : {4u, 8u, 16u, 32u, 64u, 64u}) {
        CHECK(candidates_until_due() == patience * price);
        account.reviewed(100, 76);
    }
    account.reviewed(100, 75);
    CHECK(candidates_until_due() == 4 * price);
}

/// Whoever asks before each expense, and spends on certificates no more at once than a scan costs, is overdrawn by no
/// more than that.
void the_budget_holds_on_any_stream() {
    std::mt19937 random(7);
    for (int stream = 0; stream < 200; ++stream) {
        Binary account;
        std::size_t features = 1 + random() % 300;
        account.set_features(features);
        Count n = 0;
        std::uint64_t touched = 0;
        for (int i = 0; i < 2000; ++i) {
            n += 1 + static_cast<Count>(random() % 3);
            touched += random() % 50;
            account.begin_query(n, touched);
            if (account.is_overdrawn()) {
                account.pay_for_scan(features);
            } else {
                account.pay(random() % features);
            }
            const std::uint64_t most = account.saved() + account.saved() / 4 * 3 + (8 + 1) * features;
            if (!CHECK(account.spent() <= most)) return;
        }
    }
}

}  // namespace

int main() {
    a_query_saves_what_the_exhaustive_search_would_spend();
    everything_has_its_price();
    few_candidates_cost_at_most_half_a_scan();
    overdrawn_beyond_one_and_three_quarters();
    the_first_renewal_is_on_credit_after_a_scan();
    a_renewal_in_vain_puts_the_next_off_for_twice_as_long();
    renewals_stop_at_one_and_a_quarter();
    a_renewal_costs_as_much_as_the_last_in_proportion();
    reviews_without_effect_become_rare();
    the_budget_holds_on_any_stream();
    return check::finish();
}
