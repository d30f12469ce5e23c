import Accounts
import Bindings
import Bridge
import Daemon
import JSON
import Messages
import People
import Testing
import Threading

/// When a thing was last heard: only what it does itself counts.
@Suite(.timeLimit(.minutes(2)))
struct BindingSeenTests {
    private func seen(_ home: TestBindings) async -> JSONValue? {
        await home.records.close()
        return await home.ask("GET", "/api/bindings/v-1").body["seen"]
    }

    @Test(arguments: [true, false])
    func `who expects or claims a thing does not make it heard`(isExpected: Bool) async throws {
        try await withBindings { (home, folder) async throws in
            if isExpected {
                _ = await home.ask("POST", "/api/bindings/expect", ["vendorThingID": "v-1"])
            } else {
                _ = try await home.onboardOwner(home.bob).get()
            }
            #expect(await seen(home) == .null)
            await home.close()
            let again = try await TestBindings(in: folder)
            #expect(await seen(again) == .null)
            await again.close()
        }
    }

    @Test func `the command line that onboards in the thing's name is not the thing`() async throws {
        try await withBindings { (home, _) async throws in
            let body: JSONValue = ["vendorThingID": "v-1", "thingPassword": "secret"]
            #expect(await home.ask("POST", "/api/bindings/onboard", body).status == 200)
            #expect(await seen(home) == .null)
        }
    }

    @Test func `a thing is heard when it onboards itself, and when it reports`() async throws {
        try await withBindings { (home, _) async throws in
            _ = try await home.onboardThing().get()
            let first = await seen(home)
            #expect(first?.string != nil)
            home.now.withLock { $0 += 60_000 }
            _ = try await home.onboardOwner(home.bob).get()
            #expect(await seen(home) == first)
            let now = home.now.withLock { $0 }
            let upload = try StateUpload(message: Array(#"{"t":1}"#.utf8), at: now)
            #expect(await EdgePorts(home.service).state(EdgeAddress("v-1"), upload, true) == nil)
            #expect(await seen(home) == first, "the broker has kept it")
            #expect(await EdgePorts(home.service).state(EdgeAddress("v-1"), upload, false) == nil)
            #expect(await seen(home) != first)
        }
    }

    @Test func `a thing that is shown is online, offline, or neither is known`() async throws {
        try await withBindings { (home, _) async throws in
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            func availability() async -> JSONValue? {
                await home.place.settle()
                return await home.ask("GET", "/api/bindings/v-1").body["availability"]
            }
            #expect(await availability() == "unknown")
            for status in [EdgeStatus.online, .offline] {
                _ = await EdgePorts(home.service).status(EdgeAddress("v-1"), status)
                #expect(await availability() == .string(status.rawValue))
            }
        }
    }
}
