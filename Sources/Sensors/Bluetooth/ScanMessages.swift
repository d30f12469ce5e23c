import Glibc
import Positioning
import SystemPackage

/// The sentences for the user: what is wrong and what to do.
struct ScanMessages {
    let choice: AdapterChoice
    let adapter: String

    private static func giving(_ capability: String) -> String {
        "give it (in the systemd unit: AmbientCapabilities=\(capability); elsewhere: "
            + "setcap \(capability.lowercased())+ep on the program) and start again"
    }

    var noBluetooth: String {
        "Bluetooth: \(choice) is not available, because this system (or container) has no Bluetooth. Scanning starts "
            + "when Bluetooth becomes available"
    }

    func cannotList(_ error: Errno) -> String {
        "Bluetooth: cannot list the adapters: \(error)"
    }

    func noAdapter(among adapters: [AdapterInfo]) -> String {
        let others = adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
        let name = choice == .automatic ? "no adapter" : "no adapter \(choice)"
        return "Bluetooth: \(name) found. Scanning starts when it is plugged in"
            + (others.isEmpty ? "" : "; available: \(others), see sensors.beacons.adapter")
    }

    var switchedOff: String {
        "Bluetooth: another program switched \(adapter) off. Scanning resumes when it is switched on again "
            + "(bluetoothctl power on)"
    }

    var switchedOffOurs: String {
        "Bluetooth: another program switched \(adapter) off. It will be switched on again within seconds"
    }

    var mayNotSwitchOn: String {
        "Bluetooth: \(adapter) is switched off. Switch it on (bluetoothctl power on) to start scanning. For Trilateral to "
            + "switch it on, the capability CAP_NET_ADMIN is needed: \(Self.giving("CAP_NET_ADMIN"))"
    }

    var mayNotScan: String {
        "Bluetooth: not permitted to use \(adapter); scanning needs the capability CAP_NET_RAW: "
            + Self.giving("CAP_NET_RAW")
    }

    var blocked: String {
        "Bluetooth: \(adapter) is blocked by rfkill. To start scanning, run: "
            + "rfkill unblock bluetooth"
    }

    func cannotSwitchOn(_ error: Errno) -> String {
        "Bluetooth: cannot switch \(adapter) on: \(error). Retrying; if this persists, unplug the "
            + "adapter and plug it in again"
    }

    func cannotOpen(_ error: Errno) -> String {
        "Bluetooth: cannot open \(adapter): \(error). Retrying"
    }

    func socketFailed(_ error: Errno) -> String {
        "Bluetooth: the connection to \(adapter) failed: \(error). Retrying"
    }

    func refused(_ command: HCICommand, _ status: UInt8) -> String {
        let hexadecimal = (status < 16 ? "0" : "") + String(status, radix: 16, uppercase: true)
        return
            "Bluetooth: \(adapter) refuses to scan: \(command.name) failed with error 0x\(hexadecimal). "
            + "Retrying; if this persists, unplug the adapter and plug it in again"
    }

    var noAnswer: String {
        "Bluetooth: \(adapter) does not answer. Retrying; if this persists, unplug the adapter and plug it in again"
    }

    func deaf(_ seconds: Int) -> String {
        "Bluetooth: \(adapter) has received nothing for \(seconds) s, neither from beacons nor from other devices. If there "
            + "are any nearby, unplug the adapter and plug it in again"
    }
}

extension ScanSession {
    var messages: ScanMessages {
        ScanMessages(choice: settings.adapter, adapter: adapter?.name ?? settings.adapter.description)
    }
}
