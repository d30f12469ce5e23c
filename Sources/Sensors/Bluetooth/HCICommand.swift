import CBluetooth
import Positioning

/// An HCI command.
package struct HCICommand: Sendable, Hashable {
    package enum Opcode {
        package static let reset: UInt16 = 0x0C03
        package static let scanParameters: UInt16 = 0x200B
        package static let scanEnable: UInt16 = 0x200C
        package static let extendedScanParameters: UInt16 = 0x2041
        package static let extendedScanEnable: UInt16 = 0x2042
    }

    package let opcode: UInt16
    package let parameters: [UInt8]

    package init(opcode: UInt16, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// The bytes to write to the socket, including the packet type.
    package var packet: [UInt8] {
        [UInt8(HCI_COMMAND_PKT), UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)]
            + parameters
    }

    // 60 ms in units of 0.625 ms. With equal interval and window the radio listens all the time.
    private static let interval: [UInt8] = [0x60, 0x00]

    /// Sets the scan parameters: the LE 1M channels, public address, no filter.
    /// - Source: Bluetooth Core Specification, volume 4, part E, 7.8.10 and 7.8.64.
    static func setScan(isExtended: Bool, isActive: Bool) -> HCICommand {
        let type: UInt8 = isActive ? 1 : 0
        let timing = interval + interval
        return isExtended
            ? HCICommand(opcode: Opcode.extendedScanParameters, parameters: [0, 0, 1, type] + timing)
            : HCICommand(opcode: Opcode.scanParameters, parameters: [type] + timing + [0, 0])
    }

    /// Switches scanning on or off, without duplicate filter and time limit.
    /// - Source: Bluetooth Core Specification, volume 4, part E, 7.8.11 and 7.8.65.
    static func enableScan(_ isOn: Bool, isExtended: Bool) -> HCICommand {
        let enable: UInt8 = isOn ? 1 : 0
        return isExtended
            ? HCICommand(opcode: Opcode.extendedScanEnable, parameters: [enable, 0, 0, 0, 0, 0])
            : HCICommand(opcode: Opcode.scanEnable, parameters: [enable, 0])
    }

    /// The scan state that the command sets; `nil` for other commands.
    var switchesScan: Bool? {
        guard opcode == Opcode.scanEnable || opcode == Opcode.extendedScanEnable else { return nil }
        return parameters.first.map { $0 != 0 }
    }

    /// The command's name in the Bluetooth specification.
    var name: String {
        switch opcode {
        case Opcode.scanParameters: "LE Set Scan Parameters"
        case Opcode.scanEnable: "LE Set Scan Enable"
        case Opcode.extendedScanParameters: "LE Set Extended Scan Parameters"
        case Opcode.extendedScanEnable: "LE Set Extended Scan Enable"
        default: "command 0x" + String(opcode, radix: 16, uppercase: true)
        }
    }
}

/// A message from an adapter's socket, apart from advertising reports.
package enum HCIMessage: Sendable, Hashable {
    /// The controller's result for a command of any process; status 0 is success.
    case commandResult(opcode: UInt16, status: UInt8)
    /// A command of another process.
    case command(HCICommand)
    case other

    /// Parses a packet with its type; truncated packets are `other`.
    package init(_ packet: Span<UInt8>) {
        self = .other
        guard packet.count >= 4 else { return }
        switch (Int32(packet[0]), Int32(packet[1])) {
        case (HCI_COMMAND_PKT, _):
            guard packet.count >= 4 + Int(packet[3]) else { return }
            self = .command(
                HCICommand(
                    opcode: packet.littleEndian16(at: 1),
                    parameters: (4..<4 + Int(packet[3])).map { packet[$0] }
                )
            )
        case (HCI_EVENT_PKT, EVT_CMD_COMPLETE) where packet.count >= 7:
            self = .commandResult(opcode: packet.littleEndian16(at: 4), status: packet[6])
        case (HCI_EVENT_PKT, EVT_CMD_STATUS) where packet.count >= 7:
            self = .commandResult(opcode: packet.littleEndian16(at: 5), status: packet[3])
        default: break
        }
    }
}
