extension GridEstimator {
    /// The constants of the estimator; the defaults suit most places.
    package struct Settings: Sendable, Hashable {
        private var changed: [Constant: Double] = [:]
        /// Height of the device in the map's coordinates, metres; `nil` uses the floor's height and
        /// ``Constant/deviceHeight``.
        package var deviceZ: Double?

        package init() {}

        /// A constant's value; values out of range are clamped, and NaN is ignored.
        package subscript(constant: Constant) -> Double {
            get { changed[constant] ?? constant.standard }
            set {
                guard !newValue.isNaN else { return }
                let range = constant.range
                let value = min(max(newValue, range.lowerBound), range.upperBound)
                changed[constant] = value == constant.standard ? nil : value
            }
        }

        /// These settings where there is a survey.
        var surveyed: Settings {
            merging(GridEstimator.surveyed.filter { changed[$0.key] == nil })
        }

        /// These settings with an environment's overrides applied.
        package func merging(_ own: [Constant: Double]) -> Settings {
            var settings = self
            for (constant, value) in own { settings[constant] = value }
            return settings
        }
    }

    /// What suits better where a survey says what to expect, unless it was set.
    private static let surveyed: [Constant: Double] = [.pull: 8, .starting: 0.015]

    /// The constants that can be set, by their name in the configuration and in an environment's data.
    /// - Source: contrib/contract/positioning.md, "6.1 Constants".
    package enum Constant: String, Sendable, Hashable, CaseIterable {
        case deviceHeight = "device_height_metres"
        case pathLoss = "path_loss_exponent"
        case spread = "spread_db"
        case fading = "fading_db"
        case tails = "tail_degrees"
        case standingError = "standing_error_db"
        case slab = "slab_db"
        case smoothing = "smoothing_seconds"
        case stale = "stale_seconds"
        case clip = "clip_db"
        case pull = "pull_metres"
        case starting = "starting_per_second"
        case stopping = "stopping_per_second"
        case walkingSpeed = "walking_speed_metres"
        case walkingBlur = "walking_blur_metres"
        case keepingHeading = "keeping_heading_per_second"
        case standingBlur = "standing_blur_metres"
        case motionFlag = "moving_flag_probability"
        case leak = "leak"
        case offset = "offset_db"
        case offsetAtStart = "offset_at_start_db"
        case offsetWhenKnown = "offset_when_known_db"
        case offsetFixes = "offset_fixes"
        case offsetGain = "offset_gain"
        case nearest = "nearest_metres"
        case cell = "cell_metres"

        package var standard: Double { facts.standard }
        package var range: ClosedRange<Double> { facts.range }
        /// One sentence for the user.
        package var summary: String { facts.summary }

        private var facts: (standard: Double, range: ClosedRange<Double>, summary: String) {
            switch self {
            case .deviceHeight: (1.1, 0...5, "How high above the floor the device is carried, metres.")
            case .pathLoss: (2.2, 1...6, "How fast the signal fades with distance; 2 in free space.")
            case .spread:
                (
                    4.5, 0.5...20,
                    "How far levels deviate from the model because of walls, bodies and antennas, dB."
                )
            case .fading: (4, 0...20, "How much a single packet varies in addition, dB.")
            case .tails:
                (5, 1...100, "Degrees of freedom of the error distribution; fewer make outliers count less.")
            case .standingError:
                (4.95, 0.5...30, "Error that does not average out, for the stated accuracy, dB.")
            case .slab: (15, 0...60, "Loss through a ceiling, dB.")
            case .smoothing: (0.4, 0.05...30, "How long packets of one beacon are averaged, seconds.")
            case .stale: (10, 1...30, "How long a beacon counts after its last packet, seconds.")
            case .clip: (10, 1...100, "The most that one packet may differ from those before it, dB.")
            case .pull:
                (5, 0.5...1000, "How far the device may be from the weighted mean of the beacons, metres.")
            case .starting:
                (0.02, 0.0001...1, "Probability that a standing person begins to walk, per second.")
            case .stopping: (0.15, 0.0001...1, "Probability that a walking person stops, per second.")
            case .walkingSpeed: (0.7, 0...3, "The mean speed of a walking person, metres a second.")
            case .walkingBlur:
                (0.5, 0.05...5, "How far a walking person deviates from it in a second, metres.")
            case .keepingHeading:
                (0.8, 0...1, "Probability that a walking person keeps the direction, per second.")
            case .standingBlur: (0.15, 0...2, "How far a standing person moves in a second, metres.")
            case .motionFlag:
                (0.95, 0.5...0.999, "Probability that an accelerometer, or a phone, is right about moving.")
            case .leak: (1e-4, 1e-6...0.1, "Probability that the belief so far is wrong, per update.")
            case .offset:
                (
                    2.5, 0.1...20,
                    "How far the receiver's constant error may deviate from the estimated one, dB."
                )
            case .offsetAtStart: (8, 0.1...30, "The same for a receiver that has no estimate yet, dB.")
            case .offsetWhenKnown:
                (4, 0.1...30, "The same at the start for a receiver with a stored estimate, dB.")
            case .offsetFixes: (15, 1...1000, "How many positions it takes to estimate a receiver's error.")
            case .offsetGain: (0.1, 0.001...1, "How fast the estimated error is corrected, per update.")
            case .nearest: (0.3, 0.05...3, "The level does not rise any more below this distance, metres.")
            case .cell: (0.5, 0.25...5, "The side of a cell, metres; large places use larger ones.")
            }
        }
    }
}
