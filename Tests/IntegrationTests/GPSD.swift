import Foundation
import TestSupport

/// The gpsd of Debian, with receivers that gpsfake makes up.
enum GPSD {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Where contrib/setup puts gpsfake alone, unless the system has it.
    private static var gpsfake: String? {
        let own = root.appending(path: ".build/gpsd/usr/bin/gpsfake").path
        return ChildProcess.find("gpsfake") ?? (access(own, X_OK) == 0 ? own : nil)
    }

    /// True if these tests should run: also in CI when the programs are missing, so that they fail there.
    static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || gpsfake != nil && ChildProcess.find("gpsd") != nil
    }

    static let advice = "contrib/setup --tests installs what these tests need"

    struct Missing: Error {}

    /// Runs the body with a gpsd on the port whose receiver is at a place.
    static func with<Result>(
        port: Int,
        in folder: TemporaryFolder,
        latitude: Double,
        longitude: Double,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard let gpsfake else { throw Missing() }
        let name = "walk-\(UUID().uuidString)"
        try folder.write(sentences(latitude, longitude), to: "\(name).nmea")
        let child = try ChildProcess(
            gpsfake,
            ["-q", "-c", "0.05", "-P", "\(port)", folder.path("\(name).nmea")],
            output: folder.path("\(name).log")
        )
        do {
            let result = try await body()
            await end(child)
            return result
        } catch {
            await end(child)
            throw error
        }
    }

    /// It ends its gpsd when it is interrupted; when it is killed, nobody does.
    private static func end(_ child: ChildProcess) async {
        let daemons = children(of: child.processID)
        child.signal(SIGINT)
        if await child.end(within: .seconds(5)) == nil { for daemon in daemons { kill(daemon, SIGKILL) } }
        await child.destroy()
    }

    private static func children(of parent: pid_t) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { process in
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").contains { $0 == "PPid:\t\(parent)" }
        }
    }

    /// What a receiver says in twenty seconds at a place north of the equator and east of Greenwich.
    private static func sentences(_ latitude: Double, _ longitude: Double) -> String {
        func angle(_ degrees: Double, digits: Int) -> String {
            let whole = Int(degrees)
            let minutes = Int(((degrees - Double(whole)) * 600_000).rounded())
            return padded(whole, digits) + padded(minutes / 10_000, 2) + "." + padded(minutes % 10_000, 4)
        }
        let place = "\(angle(latitude, digits: 2)),N,\(angle(longitude, digits: 3)),E"
        return (0..<20).map { second in
            let time = "1000\(padded(second, 2)).00"
            return sentence("GPGGA,\(time),\(place),1,08,0.9,600.0,M,46.9,M,,")
                + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2")
                + sentence("GPRMC,\(time),A,\(place),0.5,084.4,100426,,,A")
                + sentence("HCHDM,123.4,M")
        }.joined()
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }

    private static func sentence(_ text: String) -> String {
        let sum = text.utf8.reduce(UInt8(0), ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(text)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }
}
