import Foundation
package import Resolution

extension StateStore {
    private static let serialKey = "station.serial"

    /// The serial of this station: that of an earlier run, else the MAC of the first interface, which is kept.
    ///
    /// - Parameter folder: Where the kernel lists its interfaces.
    /// - Returns: `nil` if there is no interface with a MAC.
    package func stationSerial(
        interfaces folder: String = "/sys/class/net"
    ) throws(StateStoreError) -> StationSerial? {
        let kept = try read { try Self.setting(Self.serialKey, $0) }
        if let kept, let serial = StationSerial(kept) { return serial }
        guard let serial = Self.firstMAC(in: folder) else { return nil }
        try write { try Self.set(Self.serialKey, serial.text, $0) }
        return serial
    }

    /// Of the physical interfaces, which have a device, else of any but loopback.
    private static func firstMAC(in folder: String) -> StationSerial? {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        func address(_ name: String) -> StationSerial? {
            let text = (try? String(contentsOfFile: "\(folder)/\(name)/address", encoding: .utf8)) ?? ""
            let serial = StationSerial(text)
            // Loopback has zeros, a tunnel has something else.
            return serial.flatMap { $0.text.utf8.count == 17 && $0.text != "00:00:00:00:00:00" ? $0 : nil }
        }
        let physical = names.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)/device") }
        for name in physical + names {
            if let address = address(name) { return address }
        }
        return nil
    }
}
