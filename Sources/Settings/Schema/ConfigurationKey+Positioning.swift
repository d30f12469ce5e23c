import Positioning

extension ConfigurationKey {
    /// How positions are reckoned; the grid estimator's constants explain themselves.
    static let positioning: [ConfigurationKey] =
        [
            .init(
                "positioning.estimator",
                \.positioning.estimator,
                .choice(),
                "How a position is estimated: grid weighs every place by what is heard; centroid is the weighted mean of the beacons."
            )
        ]
        + GridEstimator.Constant.allCases.map { constant in
            ConfigurationKey(
                "positioning.grid.\(constant.rawValue)",
                \.positioning.grid[constant],
                .number(constant.range),
                constant.summary
            )
        }
}
