import Controller
import Foundation

/// This machine's name and properties, for its device in the place.
package struct HostInfo: Sendable {
    package let hostName: String
    /// "kind, OS version".
    package let description: String
    /// The wireless interface's address, lower case; `nil` when there is none.
    package let mac: String?

    /// Reads the traits of the machine this runs on.
    package static func ofThisMachine() -> HostInfo {
        HostInfo(hostName: readHostName(), description: "\(kind), \(system)", mac: wirelessAddress())
    }

    /// The node that the host's name makes.
    var node: String { SlugRegistry.slug(from: hostName) ?? "device" }

    private static func readHostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
        let name = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) },
            as: UTF8.self
        )
        return name.split(separator: ".").first.map(String.init) ?? "device"
    }

    /// The board's model if the firmware names it, else the processor architecture.
    private static var kind: String {
        for path in ["/sys/firmware/devicetree/base/model", "/sys/class/dmi/id/product_name"] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            let model = text.trimmingCharacters(in: .whitespacesAndNewlines.union(.controlCharacters))
            if !model.isEmpty { return String(model.prefix(80)) }
        }
        #if arch(arm64)
            return "arm64"
        #elseif arch(x86_64)
            return "x86_64"
        #else
            return "computer"
        #endif
    }

    private static var system: String {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        for line in release.split(separator: "\n") where line.hasPrefix("PRETTY_NAME=") {
            return line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(
                in: CharacterSet(charactersIn: "\"'")
            )
        }
        return "Linux"
    }

    private static func wirelessAddress() -> String? {
        let folder = "/sys/class/net"
        let interfaces = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for interface in interfaces.sorted()
        where FileManager.default.fileExists(atPath: "\(folder)/\(interface)/wireless") {
            guard let text = try? String(contentsOfFile: "\(folder)/\(interface)/address", encoding: .utf8)
            else {
                continue
            }
            return text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        }
        return nil
    }
}
