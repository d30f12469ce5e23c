import Controller
import Daemon
import Flare
import TestSupport
import Testing

/// What is stored of further devices.
struct StateStoreNodeTests {
    private let home = FlareID(high: 1, low: 1)
    private let phone = FlareID(high: 4, low: 1)
    private let watch = FlareID(high: 4, low: 2)

    @Test func `devices and switches of further nodes are kept apart`() async throws {
        try await withTemporaryFolder { folder in
            let store = try StateStore(folder: folder.url)
            try store.save([
                .device(phone, environment: home), .node("anna", .device(watch, environment: home)),
                .node("anna", .sensor(.gps, on: false)), .node("bert-2", .sensor(.gps, on: true)),
            ])
            let memory = try StateStore(folder: folder.url).memory()
            #expect(memory.devices == [home: phone])
            #expect(memory.sensors.isEmpty)
            #expect(memory.nodes["anna"]?.devices == [home: watch])
            #expect(memory.nodes["anna"]?.sensors == [.gps: false])
            #expect(memory.nodes["bert-2"]?.sensors == [.gps: true])
            #expect(memory.nodes.count == 2)
        }
    }
}
