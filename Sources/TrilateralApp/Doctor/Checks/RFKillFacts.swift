import Foundation
import OperatingSystem

/// Whether Bluetooth is blocked, by software or by a switch of the machine.
/// - Source: the kernel's Documentation/ABI/stable/sysfs-class-rfkill.
package struct RFKillFacts: Sendable {
    package static let check = "rfkill"

    /// A radio of this machine.
    package struct Radio: Sendable {
        package var name: String
        package var isSoftBlocked: Bool
        package var isHardBlocked: Bool

        package init(_ name: String, soft: Bool = false, hard: Bool = false) {
            (self.name, isSoftBlocked, isHardBlocked) = (name, soft, hard)
        }
    }

    /// Whether positions are to come from an adapter.
    package var isWanted = true
    /// Those of Bluetooth.
    package var radios: [Radio] = []

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard isWanted else { return [] }
        let hard = radios.filter(\.isHardBlocked).map(\.name)
        if !hard.isEmpty {
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "a switch of this machine blocks \(hard.joined(separator: ", "))",
                    advice: "turn the switch, the key or the setting of the firmware for wireless"
                )
            ]
        }
        let soft = radios.filter(\.isSoftBlocked).map(\.name)
        guard !soft.isEmpty else { return [DoctorVerdict(Self.check, .ok, "nothing blocks Bluetooth")] }
        return [
            DoctorVerdict(
                Self.check,
                .problem,
                "\(soft.joined(separator: ", ")) is blocked",
                advice: "rfkill unblock bluetooth"
            )
        ]
    }

    /// - Parameter folder: The kernel's, except in tests.
    package static func gathered(isWanted: Bool, folder: String = "/sys/class/rfkill") -> RFKillFacts {
        var facts = RFKillFacts()
        facts.isWanted = isWanted
        let names = ((try? Folder.names(in: folder)) ?? []).sorted()
        facts.radios = names.compactMap { name in
            func read(_ attribute: String) -> String? {
                let text = try? FileContents.read("\(folder)/\(name)/\(attribute)", upTo: 4096).flatMap(
                    \.text
                ).get()
                return text?.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard read("type") == "bluetooth" else { return nil }
            return Radio(read("name") ?? name, soft: read("soft") == "1", hard: read("hard") == "1")
        }
        return facts
    }
}
