/// What levels of beacons an estimator expects at each place.
package enum PositionModel: Sendable, Hashable {
    /// Those that follow from the distance.
    case plain
    /// Those that were measured at points of the place.
    ///
    /// - takenAt: When the newest point was taken, milliseconds since 1970 UTC; `nil` if that is not known.
    case survey(takenAt: Int64?)
}
