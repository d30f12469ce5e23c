package import Flare

/// Where the points of a survey may be: in the cells in which the device can be.
package struct SurveyArea: Sendable {
    package let x: ClosedRange<Double>
    package let y: ClosedRange<Double>
    /// How far outside a point may be, metres: a wall is as thick, and a person stands at it.
    private static let margin = 0.5

    /// `nil` without beacons.
    package init?(map: BeaconMap, settings: GridEstimator.Settings) {
        guard let area = GridPlan(map, settings.merging(map.constants)).area else { return nil }
        x = area.x...(area.x + Double(area.columns) * area.cell)
        y = area.y...(area.y + Double(area.rows) * area.cell)
    }

    package func contains(_ point: Point3D) -> Bool {
        point.x >= x.lowerBound - Self.margin && point.x <= x.upperBound + Self.margin
            && point.y >= y.lowerBound - Self.margin && point.y <= y.upperBound + Self.margin
    }
}
