import Daemon
import OperatingSystem
import Sensors
import Settings

/// The Bluetooth adapter, and whether the daemon may scan with it.
package struct BluetoothFacts: Sendable {
    package static let check = "bluetooth"

    /// Whether positions are to come from an adapter.
    package var isWanted = true
    /// As the configuration names it.
    package var choice = "auto"
    /// Whether the configuration names an adapter, which then must be there; any one is used otherwise, and none is missed.
    package var isNamed = true
    /// The adapters that fit, by name and whether they are on.
    package var adapters: [(name: String, isUp: Bool)] = []
    /// Adapters that do not fit.
    package var others: [String] = []
    /// Why adapters cannot be listed; `nil` if they can.
    package var problem: String?
    /// What the daemon may do, a bit for each capability; `nil` without a daemon, or if this user may not know.
    package var capabilities: UInt64?

    package init() {}

    // Source: capabilities(7), linux/capability.h.
    private static let netAdmin: UInt64 = 1 << 12
    private static let netRaw: UInt64 = 1 << 13

    package var verdicts: [DoctorVerdict] {
        guard isWanted else {
            return [DoctorVerdict(Self.check, .ok, "positions do not come from an adapter of this machine")]
        }
        let rest = "plug an adapter in; without one, set sensors.beacons.adapter: none"
        let level: DoctorVerdict.Level = isNamed ? .problem : .warning
        if let problem {
            return [
                DoctorVerdict(
                    Self.check,
                    level,
                    "no Bluetooth can be used here: \(problem)",
                    advice:
                        "set sensors.beacons.adapter: none; to hear beacons here, it needs a kernel with Bluetooth, and a container the host's network"
                )
            ]
        }
        guard let first = adapters.first else {
            let there = others.isEmpty ? "" : "; there are: \(others.joined(separator: ", "))"
            return [
                DoctorVerdict(
                    Self.check,
                    level,
                    isNamed
                        ? "there is no adapter \(choice)\(there)"
                        : "this machine has no adapter for beacons\(there); they are still received from other sources",
                    advice: isNamed && !others.isEmpty ? "correct sensors.beacons.adapter" : rest
                )
            ]
        }
        let adapter = adapters.first(where: \.isUp) ?? first
        let (mayScan, maySwitch) = (may(Self.netRaw), may(Self.netAdmin))
        if mayScan == false {
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "the daemon may not scan with \(adapter.name): it lacks the capability CAP_NET_RAW",
                    advice:
                        "AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN in the unit, or setcap on the program; restart it"
                )
            ]
        }
        guard !adapter.isUp else { return [DoctorVerdict(Self.check, .ok, "\(adapter.name) is on")] }
        return [
            DoctorVerdict(
                Self.check,
                maySwitch == true ? .warning : .problem,
                "\(adapter.name) is off",
                advice: maySwitch == true
                    ? "the daemon switches it on; if it stays off, see rfkill"
                    : "bluetoothctl power on, or give the daemon the capability CAP_NET_ADMIN"
            )
        ]
    }

    private func may(_ capability: UInt64) -> Bool? { capabilities.map { $0 & capability != 0 } }

    static func gathered(_ context: DoctorContext) -> BluetoothFacts {
        var facts = BluetoothFacts()
        facts.isWanted = context.wantsBluetooth
        guard facts.isWanted else { return facts }
        let choice = context.values.beacons.scanning.adapter
        (facts.choice, facts.isNamed) = ("\(choice)", choice != .automatic)
        switch HCIHost.kernel.list() {
        case .failure(let error): facts.problem = "\(error)"
        case .success(let all):
            let fitting = all.filter { adapter in
                guard adapter.isLowEnergy else { return false }
                return switch choice {
                case .automatic: true
                case .index(let index): adapter.index == index
                case .address(let address): adapter.address == address
                case .off: false
                }
            }
            facts.adapters = fitting.map { ($0.name, $0.isUp) }
            facts.others = all.filter { !fitting.contains($0) }.map { "\($0.name) (\($0.address))" }
        }
        facts.capabilities = context.daemon.flatMap { ProcessTable.capabilities(of: $0.processID) }
        return facts
    }
}
