import JSON
package import Logging
package import Positioning

/// The calibrations of this machine's magnetometers, by name.
extension StateStore {
    private static func key(_ device: String) -> String { "compass.calibration.\(device)" }

    /// `nil` if it was never calibrated.
    package func calibration(of device: String) throws(StateStoreError) -> MagnetometerCalibration? {
        let text = try read { try Self.setting(Self.key(device), $0) }
        guard let text, let json = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        return MagnetometerCalibration(json: json)
    }

    package func keep(_ calibration: MagnetometerCalibration, of device: String) throws(StateStoreError) {
        try write { try Self.set(Self.key(device), calibration.json.text, $0) }
    }

    /// The calibrations, for a compass that starts; errors are logged and count as no calibration.
    package func calibrations(logger: Logger) -> @Sendable (String) -> MagnetometerCalibration? {
        { device in
            do throws(StateStoreError) {
                return try self.calibration(of: device)
            } catch {
                logger.warning("compass: \(error)")
                return nil
            }
        }
    }
}
