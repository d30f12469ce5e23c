import Flare

/// Converts metres of the plan to whole units of the picture, whose x points right and y down.
struct PlanFrame: Sendable {
    /// The picture's width; a unit is about a pixel on a small card.
    static let pictureWidth = 480
    static let margin = 16
    static let header = 46
    static let footer = 40
    /// The width of the plan.
    static let planWidth = pictureWidth - 2 * margin
    private static let planHeights = 120.0...640.0

    /// The part of the plan that is shown.
    let bounds: PlaneBounds
    /// Units per metre.
    let scale: Double
    let planHeight: Int
    private let isFlipped: Bool
    private let left: Double
    private let top: Double

    var pictureHeight: Int { Self.header + planHeight + Self.footer }

    /// - Parameter isFlipped: Whether the plan's y axis points down, as the picture's.
    init(_ content: PlaneBounds, isFlipped: Bool) {
        // In a place smaller than 2 m a lamp would fill the picture.
        bounds = content.grown(by: max(0, 1 - content.width / 2), max(0, 1 - content.height / 2))
        self.isFlipped = isFlipped
        let width = Double(Self.planWidth)
        let height = min(
            max(width * bounds.height / bounds.width, Self.planHeights.lowerBound),
            Self.planHeights.upperBound
        )
        scale = min(width / bounds.width, height / bounds.height)
        planHeight = Int(height.rounded())
        left = Double(Self.margin) + (width - bounds.width * scale) / 2
        top = Double(Self.header) + (height - bounds.height * scale) / 2
    }

    func x(_ metres: Double) -> Int { Self.unit(left + (metres - bounds.minX) * scale) }

    func y(_ metres: Double) -> Int {
        Self.unit(top + (isFlipped ? metres - bounds.minY : bounds.maxY - metres) * scale)
    }

    /// The area of a box seen from above.
    func area(of box: Box) -> LabelPlacer.Area {
        let (y, other) = (y(box.origin.y), y(box.origin.y + box.height))
        return LabelPlacer.Area(
            left: x(box.origin.x),
            top: min(y, other),
            right: x(box.origin.x + box.width),
            bottom: max(y, other)
        )
    }

    /// A length in units.
    func length(_ metres: Double) -> Int { Self.unit(metres * scale) }

    /// Clamps to a whole number that is valid in a picture.
    static func unit(_ value: Double) -> Int {
        value.isFinite ? Int(min(max(value, -2000), 2000).rounded()) : 0
    }

    /// A length of 1, 2 or 5 times a power of ten, at most a quarter of the picture's width, and its label.
    var scaleBar: (units: Int, name: String) {
        let most = Double(Self.planWidth) / 4 / scale
        let steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]
        let metres = steps.last { $0 <= most } ?? 0.1
        let name =
            metres >= 1000
            ? "\(Int(metres / 1000)) km" : metres >= 1 ? "\(Int(metres)) m" : "\(Int(metres * 100)) cm"
        return (length(metres), name)
    }
}
