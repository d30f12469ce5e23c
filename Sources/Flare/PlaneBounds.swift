/// A rectangle in the plane, metres.
package struct PlaneBounds: Sendable, Hashable {
    package var minX: Double
    package var minY: Double
    package var maxX: Double
    package var maxY: Double

    package init(_ point: Point3D) { (minX, minY, maxX, maxY) = (point.x, point.y, point.x, point.y) }

    package init(_ box: Box) {
        (minX, minY) = (box.origin.x, box.origin.y)
        (maxX, maxY) = (minX + box.width, minY + box.height)
    }

    package var width: Double { maxX - minX }
    package var height: Double { maxY - minY }
    package var longerSide: Double { max(width, height) }

    /// Whether it is finite, wider than 0 and higher than 0.
    package var isArea: Bool {
        minX < maxX && minY < maxY && [minX, minY, maxX, maxY].allSatisfy(\.isFinite)
    }

    package func contains(_ point: Point3D) -> Bool {
        point.x >= minX && point.x <= maxX && point.y >= minY && point.y <= maxY
    }

    package func union(_ other: PlaneBounds) -> PlaneBounds {
        var union = self
        (union.minX, union.minY) = (min(minX, other.minX), min(minY, other.minY))
        (union.maxX, union.maxY) = (max(maxX, other.maxX), max(maxY, other.maxY))
        return union
    }

    /// What both have in common; `nil` when that is no area.
    package func overlap(_ other: PlaneBounds) -> PlaneBounds? {
        var overlap = self
        (overlap.minX, overlap.minY) = (max(minX, other.minX), max(minY, other.minY))
        (overlap.maxX, overlap.maxY) = (min(maxX, other.maxX), min(maxY, other.maxY))
        return overlap.isArea ? overlap : nil
    }

    /// Enlarged by some metres on each side.
    package func grown(by x: Double, _ y: Double) -> PlaneBounds {
        var grown = self
        (grown.minX, grown.minY, grown.maxX, grown.maxY) = (minX - x, minY - y, maxX + x, maxY + y)
        return grown
    }

    package func grown(by metres: Double) -> PlaneBounds { grown(by: metres, metres) }
}

extension [PlaneBounds] {
    package var union: PlaneBounds? { first.map { dropFirst().reduce($0) { $0.union($1) } } }
}
