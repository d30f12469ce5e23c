/// The announcement of this station's address.
extension DeviceController {
    /// Records the result of an announcement, and since when it succeeds or fails.
    mutating func stationAnnounced(_ report: StationStatus.Report) {
        guard state.station?.report != report else { return }
        let isSame = state.station.map { ($0.report.error == nil) == (report.error == nil) } ?? false
        let since = isSame ? state.station?.since : nil
        state.station = StationStatus(report: report, since: since ?? now)
        changes.insert(.station)
    }
}
