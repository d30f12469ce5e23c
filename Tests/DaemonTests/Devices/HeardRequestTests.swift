import Daemon
import JSON
import People
import Receivers
import Sensors
import TestSupport
import Testing
import Threading

/// What is heard and is no device.
@Suite(.timeLimit(.minutes(2)))
struct HeardRequestTests {
    private func record(_ devices: TestDevices, _ id: String, _ rssi: Double) {
        for _ in 0..<20 { devices.heard.record(HeardID(reported: id), rssi: rssi, by: "kitchen") }
    }

    @Test func `nothing is recorded before somebody looks`() async throws {
        try await withDevices { devices in
            #expect(!devices.heard.isRecording)
            record(devices, "phone:x", -60)
            #expect(await devices.ask("GET", "heard").body == [])
            #expect(devices.heard.isRecording)
            devices.steady.withLock { $0 += 601 }
            #expect(!devices.heard.isRecording)
        }
    }

    @Test func `what changed most since the last call comes first, and devices are left out`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            _ = await devices.ask("GET", "heard")
            for (id, rssi) in [("name:still", -40.0), ("name:waved", -80), ("phone:anna", -50)] {
                record(devices, id, rssi)
            }
            let first = await devices.ask("GET", "heard").body.array ?? []
            #expect(first.map { $0["id"] } == ["name:still", "name:waved"])
            #expect(first.first?["levels"] == [["receiver": "kitchen", "rssi": -40]])
            devices.steady.withLock { $0 += 2 }
            record(devices, "name:waved", -45)
            let second = await devices.ask("GET", "heard").body.array ?? []
            #expect(second.map { $0["id"] } == ["name:waved", "name:still"])
            #expect(second.first?["levels"]?.array?.first?["change"]?.number.map { $0 > 30 } == true)
            #expect(second.first?["kind"] == "name" && second.first?["can_be_added"] == true)
            #expect(second.first?["since"] == "2030-03-17T17:46:38.000Z", "\(second)")
        }
    }

    @Test func `a device is left out under any id, if its address or its key shows who it is`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            _ = await devices.ask(
                "POST",
                "device-settings",
                ["node": "cat", "heard_as": ["mac:c0ffee000001"]]
            )
            // Made with the key of addPhone().
            let key = try IdentityKey(text: TestDevices.key)
            let resolvable = UInt64(0x70_8194) << 24 | UInt64(key.hash(of: 0x70_8194, AESBlock.cipher))
            _ = await devices.ask("GET", "heard")
            func record(_ id: HeardID, from bits: UInt64?) {
                devices.heard.record(id, bits: bits, rssi: -60, by: "kitchen")
            }
            record(.address(resolvable), from: nil)
            record(.keyName("annax"), from: resolvable)
            record(.text("name:cat"), from: 0xC0FF_EE00_0001)
            record(.text("name:other"), from: resolvable ^ 1)
            let rows = await devices.ask("GET", "heard").body.array ?? []
            #expect(rows.map { $0["id"] } == ["name:other"], "\(rows)")
        }
    }

    @Test func `the daemon's own device is marked, and cannot be added`() async throws {
        try await withDevices { devices in
            devices.own.withLock { $0 = "phone:tablet" }
            _ = await devices.ask("GET", "heard")
            record(devices, "phone:tablet", -50)
            record(devices, "phone:other", -60)
            let rows = await devices.ask("GET", "heard").body.array ?? []
            let own = rows.filter { $0["own"] == true }
            #expect(rows.count == 2 && own.map { $0["id"] } == ["phone:tablet"], "\(rows)")
            let addable = rows.filter { $0["can_be_added"] == true }
            #expect(addable.map { $0["id"] } == ["phone:other"], "\(rows)")
        }
    }

    @Test func `an address may change unless somebody knows better`() async throws {
        try await withDevices { devices in
            _ = await devices.ask("GET", "heard")
            for bits: UInt64 in [0x4B84_67A6_2927, 0x0084_67A6_2927, 0x8084_67A6_2927, 0xC084_67A6_2927] {
                devices.heard.record(.address(bits), bits: bits, rssi: -60, by: "kitchen")
            }
            let rows = await devices.ask("GET", "heard").body.array ?? []
            #expect(rows.map { $0["kind"] } == Array(repeating: "address", count: 4), "\(rows)")
            let may = rows.filter { $0["may_change"] == true }.compactMap { $0["id"]?.string }
            #expect(may.sorted() == ["008467a62927", "4b8467a62927"])
        }
    }

    @Test func `only who owns all devices is shown what is heard`() async throws {
        try await withDevices { devices in
            await devices.addPhone()
            #expect(await devices.ask("GET", "heard", as: devices.anna).status == 403)
            #expect(!devices.heard.isRecording)
            #expect(await devices.ask("GET", "heard", as: devices.owner).status == 200)
        }
    }

    @Test(arguments: ["-1", "61", "x", ""])
    func `a wait of another length is refused`(seconds: String) async throws {
        try await withDevices { devices in
            let answer = await devices.ask("GET", "heard", query: ["seconds": seconds])
            #expect(answer.status == 400 && answer.body["field"] == "seconds")
        }
    }
}
