extension GridEstimator {
    /// The constants of the estimator; none of them needs to be changed.
    package struct Settings: Sendable, Hashable {
        private var changed: [Constant: Double] = [:]
        /// Of the device in the map's own coordinates, metres; `nil`: the floor's height and
        /// ``Constant/deviceHeight``.
        package var deviceZ: Double?

        package init() {}

        /// A constant's value; one out of range is brought into it, and what is no number is not taken.
        package subscript(constant: Constant) -> Double {
            get { changed[constant] ?? constant.standard }
            set {
                guard !newValue.isNaN else { return }
                let range = constant.range
                let value = min(max(newValue, range.lowerBound), range.upperBound)
                changed[constant] = value == constant.standard ? nil : value
            }
        }

        /// With the constants that a place has of its own.
        package func merging(_ own: [Constant: Double]) -> Settings {
            var settings = self
            for (constant, value) in own { settings[constant] = value }
            return settings
        }
    }

    /// What can be set, by the name that it has in a configuration and in the data of an environment.
    /// - Source: positioning 6.1.
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
        case walkingBlur = "walking_blur_metres"
        case standingBlur = "standing_blur_metres"
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
        /// One sentence in plain words.
        package var summary: String { facts.summary }

        private var facts: (standard: Double, range: ClosedRange<Double>, summary: String) {
            switch self {
            case .deviceHeight: (1.1, 0...5, "How high above the floor the device is carried, metres.")
            case .pathLoss: (2.2, 1...6, "How fast the radio fades with distance; 2 in the open.")
            case .spread: (4.5, 0.5...20, "How far levels are off the model: walls, bodies, antennas; dB.")
            case .fading: (4, 0...20, "What one packet varies by beside that, dB.")
            case .tails: (4, 1...100, "How surprising an outlier is; fewer take it more lightly.")
            case .standingError: (5, 0.5...30, "What does not average out, for the accuracy told, dB.")
            case .slab: (15, 0...60, "What a ceiling takes away, dB.")
            case .smoothing: (0.7, 0.05...30, "How long packets of one beacon are averaged, seconds.")
            case .stale: (5, 1...30, "How long a beacon counts that is not heard any more, seconds.")
            case .clip: (10, 1...100, "The most that one packet may differ from those before it, dB.")
            case .pull: (5, 0.5...1000, "How far from the weighted mean of the beacons one may be, metres.")
            case .starting: (0.04, 0.0001...1, "How likely somebody who stands begins to walk, a second.")
            case .stopping: (0.12, 0.0001...1, "How likely somebody who walks stops, a second.")
            case .walkingBlur: (1, 0.05...5, "How far one walks in a second, metres.")
            case .standingBlur: (0.15, 0...2, "How far one moves in a second while standing, metres.")
            case .leak: (1e-4, 1e-6...0.1, "How likely everything believed so far is wrong, an update.")
            case .offset:
                (2.5, 0.1...20, "How far the receiver's constant error may be off the known one, dB.")
            case .offsetAtStart: (8, 0.1...30, "The same for a receiver that is not known yet, dB.")
            case .offsetWhenKnown: (4, 0.1...30, "The same at the start, for one that is known, dB.")
            case .offsetFixes: (15, 1...1000, "How many positions it takes to know a receiver.")
            case .offsetGain: (0.1, 0.001...1, "How fast the known error follows, an update.")
            case .nearest: (0.3, 0.05...3, "Nearer than this the radio grows no louder, metres.")
            case .cell: (0.5, 0.25...5, "The side of a cell, metres; large places take larger ones.")
            }
        }
    }
}
