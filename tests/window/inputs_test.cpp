// Which change makes which result earlier.
#include "app/window/jobs/inputs.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace warplens::window {
namespace {

const Inputs kAsked{{"copy", "text", "H200 SXM", {{"stride", 2}, {"block", 64}}, ""}, "stride", "gpu 0"};

std::set<Product> made_earlier_by(const std::function<void(Inputs&)>& change) {
  Inputs now = kAsked;
  change(now);
  std::set<Product> out;
  for (const Product product : {Product::Program, Product::Launch, Product::Picture, Product::Curve,
                                Product::Time, Product::TimedCurve, Product::Glimpse})
    if (!holds(product, kAsked, now)) out.insert(product);
  return out;
}

TEST(Inputs, AnotherProgramLeavesNothing) {
  const std::set<Product> all{Product::Program, Product::Launch,     Product::Picture, Product::Curve,
                              Product::Time,    Product::TimedCurve, Product::Glimpse};
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.kernel = "other"; }), all);
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.text += ";"; }), all);
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.given = "D N=8\n"; }), all);
  EXPECT_TRUE(made_earlier_by([](Inputs&) {}).empty());
}

TEST(Inputs, ACurveIsTheSameWhereverItsSliderStands) {
  const std::set<Product> launch{Product::Launch, Product::Picture, Product::Time};
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.values["stride"] = 7; }), launch);
  std::set<Product> and_curves = launch;
  and_curves.insert({Product::Curve, Product::TimedCurve});
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.values["block"] = 128; }), and_curves);
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.slider = "block"; }),
            (std::set{Product::Curve, Product::TimedCurve}));
}

TEST(Inputs, WhatIsModelledAndWhatMeasuresAreTwoThings) {
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.device = "T4"; }), std::set{Product::Picture});
  // A device of another compute capability has other code.
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.target = "sm_75"; }),
            (std::set{Product::Picture, Product::Curve}));
  EXPECT_EQ(made_earlier_by([](Inputs& now) { now.clock = "gpu 0, L2 flushed"; }),
            (std::set{Product::Time, Product::TimedCurve, Product::Glimpse}));
}

// What a result says it belongs to names no input that it is not made from.
TEST(Inputs, WhatAProductIsNotMadeFromIsEmpty) {
  const Inputs curve = inputs_of(Product::Curve, kAsked);
  EXPECT_EQ(curve.values, (model::SliderValues{{"block", 64}}));
  EXPECT_TRUE(curve.device.empty());
  EXPECT_TRUE(curve.clock.empty());
  EXPECT_EQ(inputs_of(Product::Time, kAsked).clock, "gpu 0");
}

}  // namespace
}  // namespace warplens::window
