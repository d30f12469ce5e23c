import Glibc
import Positioning
import SystemPackage

/// What is wrong and what to do about it, a sentence or two each.
struct ScanMessages {
    let choice: AdapterChoice
    let adapter: String

    private static func giving(_ capability: String) -> String {
        "give it (in the systemd unit: AmbientCapabilities=\(capability); elsewhere: "
            + "setcap \(capability.lowercased())+ep on the program) and start again"
    }

    var noBluetooth: String {
        "Bluetooth: there is no \(choice), since this system (or container) has no Bluetooth at all. Beacons are "
            + "heard when it has"
    }

    func cannotList(_ fault: Errno) -> String {
        "Bluetooth: the adapters cannot be listed: \(fault)"
    }

    func noAdapter(among adapters: [AdapterInfo]) -> String {
        let others = adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
        let name = choice == .automatic ? "no adapter" : "no adapter \(choice)"
        return "Bluetooth: there is \(name). Scanning begins when it is plugged in"
            + (others.isEmpty ? "" : "; there are \(others), see sensors.beacons.adapter")
    }

    var switchedOff: String {
        "Bluetooth: \(adapter) was switched off by somebody else. Scanning goes on when it is switched on again "
            + "(bluetoothctl power on)"
    }

    var switchedOffOurs: String {
        "Bluetooth: \(adapter) was switched off by somebody else. It is switched on again in some seconds"
    }

    var mayNotSwitchOn: String {
        "Bluetooth: \(adapter) is switched off. Switch it on (bluetoothctl power on), and scanning begins; to do so "
            + "itself, Trilateral needs the capability CAP_NET_ADMIN: \(Self.giving("CAP_NET_ADMIN"))"
    }

    var mayNotScan: String {
        "Bluetooth: \(adapter) may not be used: scanning needs the capability CAP_NET_RAW: "
            + Self.giving("CAP_NET_RAW")
    }

    var blocked: String {
        "Bluetooth: \(adapter) is blocked by a switch of the machine (rfkill). Scanning begins after: "
            + "rfkill unblock bluetooth"
    }

    func cannotSwitchOn(_ fault: Errno) -> String {
        "Bluetooth: \(adapter) cannot be switched on: \(fault). It is tried again; if that lasts, plug the "
            + "adapter out and in"
    }

    func cannotOpen(_ fault: Errno) -> String {
        "Bluetooth: \(adapter) cannot be used: \(fault). It is tried again"
    }

    func socketFailed(_ fault: Errno) -> String {
        "Bluetooth: the link to \(adapter) failed: \(fault). It is tried again"
    }

    func refused(_ command: HCICommand, _ status: UInt8) -> String {
        let hexadecimal = (status < 16 ? "0" : "") + String(status, radix: 16, uppercase: true)
        return
            "Bluetooth: \(adapter) refuses to scan: it answers \(command.name) with the error 0x\(hexadecimal). "
            + "It is tried again; if that lasts, plug the adapter out and in"
    }

    var noAnswer: String {
        "Bluetooth: \(adapter) does not answer. It is tried again; if that lasts, plug the adapter out and in"
    }

    func deaf(_ seconds: Int) -> String {
        "Bluetooth: \(adapter) has heard nothing for \(seconds) s, no beacon and no other device. If there are any "
            + "nearby, plug the adapter out and in"
    }
}

extension ScanSession {
    var words: ScanMessages {
        ScanMessages(choice: settings.adapter, adapter: adapter?.name ?? settings.adapter.description)
    }
}
