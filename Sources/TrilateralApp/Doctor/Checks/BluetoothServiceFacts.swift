import OperatingSystem

/// Whether the system's Bluetooth service runs.
package struct BluetoothServiceFacts: Sendable {
    package static let check = "bluetoothd"

    /// Whether positions are to come from an adapter.
    package var isWanted = true
    package var isRunning = false

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard isWanted else { return [] }
        guard !isRunning else { return [DoctorVerdict(Self.check, .ok, "it runs")] }
        return [
            DoctorVerdict(
                Self.check,
                .hint,
                "it does not run; scanning works without it, if the daemon may switch the adapter on"
            )
        ]
    }

    static func gathered(_ context: DoctorContext) -> BluetoothServiceFacts {
        var facts = BluetoothServiceFacts()
        facts.isWanted = context.wantsBluetooth
        facts.isRunning = facts.isWanted && !ProcessTable.ids(named: "bluetoothd").isEmpty
        return facts
    }
}
