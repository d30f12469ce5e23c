import Foundation
import JSON
import TestSupport
import Testing

/// Requests with the headers and members that the public libraries for Thing-IF send, versions 0.8 to 0.13.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(3)))
struct ThingIFProgramTests {
    /// What an app is after its user has signed in.
    private struct App {
        let site: ThingIFSite
        let user: String
        let token: String
    }

    /// Runs the body with a user of an app, who may write in the living room.
    private func withApp(_ body: (App) async throws -> Void) async throws {
        try await ThingIFSite.open { site in
            try site.home.folder.write("correct horse battery\n", to: "password")
            #expect(chmod(site.home.folder.path("password"), 0o600) == 0)
            _ = try await site.run("user", "add", "bob", "--password-file", site.home.folder.path("password"))
            _ = try await site.run("grant", "add", "bob", "zone:living-room", "write")
            let request = #"{"grant_type":"password","username":"bob","password":"correct horse battery"}"#
            let path = "/api/apps/\(ThingIFSite.app)/oauth2/token"
            let reply = try await site.send("POST", path, [ThingIFSite.json, ThingIFSite.basic], request)
            #expect(reply.status == 200 && reply.json["token_type"] == "bearer", "\(reply)")
            try await body(
                App(
                    site: site,
                    user: "user:\(try #require(reply.json["id"]?.string))",
                    token: try #require(reply.json["access_token"]?.string)
                )
            )
        }
    }

    /// What a library needs of a command that it reads.
    private func expectCommand(_ json: JSONValue, _ id: String, of thing: String, by user: String) {
        #expect(json["commandID"]?.string == id && json["target"]?.string == "thing:\(thing)", "\(json)")
        #expect(json["issuer"]?.string == user, "\(json)")
        #expect(json["schema"] == "SmartLight" && json["schemaVersion"] == 1, "\(json)")
        #expect(json["actions"]?.array?.allSatisfy { $0.object?.count == 1 } == true, "\(json)")
        let states: [JSONValue] = ["SENDING", "DELIVERED", "INCOMPLETE", "DONE"]
        #expect(json["commandState"].map(states.contains) == true, "\(json)")
        #expect(json["createdAt"]?.integer != nil && json["modifiedAt"]?.integer != nil, "\(json)")
    }

    @Test func `an app for Android onboards a thing, installs itself and gives a command`() async throws {
        try await withApp { app in
            // The library for HTTP adds the character set to each type of a body.
            func send(_ method: String, _ path: String, _ type: String?, _ body: String = "") async throws
                -> WireClient.Reply
            {
                let headers = [
                    "X-Kii-AppID: \(ThingIFSite.app)", "X-Kii-AppKey: \(ThingIFSite.key)",
                    "Authorization: Bearer \(app.token)", "X-Kii-SDK: sn=at1;sv=0.13.0;pv=23",
                    "Accept-Encoding: gzip", "User-Agent: okhttp/2.3.0",
                ]
                let types = type.map { ["Content-Type: \($0); charset=utf-8"] } ?? []
                return try await app.site.send(method, path, headers + types, body)
            }
            let onboarded = try await send(
                "POST",
                "/onboardings",
                "application/vnd.kii.OnboardingWithVendorThingIDByOwner+json",
                #"{"vendorThingID":"android-1","thingPassword":"secret","thingType":"SmartLight","#
                    + #""firmwareVersion":"v1","thingProperties":{"manufacturer":"Kii"},"layoutPosition":"STANDALONE","#
                    + #""dataGroupingInterval":"1_MINUTE","owner":"\#(app.user)"}"#
            )
            #expect(onboarded.status == 200, "\(onboarded)")
            let thing = try #require(onboarded.json["thingID"]?.string)
            #expect(onboarded.json["accessToken"]?.string?.hasPrefix("tlt_") == true)

            let installation = try await send(
                "POST",
                "/api/apps/\(ThingIFSite.app)/installations",
                "application/vnd.kii.InstallationCreationRequest+json",
                #"{"installationRegistrationID":"device-token","development":true,"deviceType":"ANDROID"}"#
            )
            #expect(installation.status == 201, "\(installation)")
            let installed = try #require(installation.json["installationID"]?.string)

            let commands = "/targets/thing:\(thing)/commands"
            let posted = try await send(
                "POST",
                commands,
                "application/json",
                #"{"schema":"SmartLight","schemaVersion":1,"actions":[{"turnPower":{"power":true}}],"#
                    + #""title":"Evening","description":"On","metadata":{"k":"v"},"issuer":"\#(app.user)"}"#
            )
            #expect(posted.status == 201, "\(posted)")
            let command = try #require(posted.json["commandID"]?.string)
            let read = try await send("GET", "\(commands)/\(command)", nil)
            expectCommand(read.json, command, of: thing, by: app.user)
            let list = try await send("GET", "\(commands)?bestEffortLimit=10", nil)
            #expect(list.json["commands"]?.array?.contains { $0["commandID"]?.string == command } == true)
            let state = try await send("GET", "/targets/thing:\(thing)/states", nil)
            #expect(state.status == 200 && state.json == [:], "\(state)")
            let gone = try await send(
                "DELETE",
                "/api/apps/\(ThingIFSite.app)/installations/\(installed)",
                nil
            )
            #expect(gone.status == 204, "\(gone)")
        }
    }

    @Test
    func `an app for iOS writes headers in lower case, and says the type of a body that it does not send`()
        async throws
    {
        try await withApp { app in
            let common = ["authorization: Bearer \(app.token)", "X-Kii-SDK: sn=it;sv=0.13.0;pv=9.3"]
            let json = common + ["content-type: application/json"]
            let onboarded = try await app.site.send(
                "POST",
                "/onboardings",
                common + ["Content-type: application/vnd.kii.OnboardingWithVendorThingIDByOwner+json"],
                #"{"owner":"\#(app.user)","thingPassword":"secret","vendorThingID":"ios-1","thingProperties":{"url":"a\/b"}}"#
            )
            #expect(onboarded.status == 200, "\(onboarded)")
            let thing = try #require(onboarded.json["thingID"]?.string)
            let again = try await app.site.send(
                "POST",
                "/onboardings",
                common + ["Content-type: application/vnd.kii.OnboardingWithThingIDByOwner+json"],
                #"{"thingID":"\#(thing)","owner":"\#(app.user)","thingPassword":"secret","layoutPosition":"STANDALONE"}"#
            )
            #expect(again.status == 200 && again.json["thingID"]?.string == thing, "\(again)")
            let commands = "/targets/thing:\(thing)/commands"
            let posted = try await app.site.send(
                "POST",
                commands,
                json,
                #"{"issuer":"\#(app.user)","actions":[{"turnPower":{"power":true}}],"schemaVersion":1,"schema":"SmartLight"}"#
            )
            #expect(posted.status == 201, "\(posted)")
            let command = try #require(posted.json["commandID"]?.string)
            let read = try await app.site.send("GET", "\(commands)/\(command)", json)
            expectCommand(read.json, command, of: thing, by: app.user)
            let state = try await app.site.send("GET", "/targets/THING:\(thing)/states", json)
            #expect(state.status == 200, "\(state)")
            // Errors are read by both members.
            let error = try await app.site.send("GET", "\(commands)/none", json)
            #expect(error.status == 404 && error.errorCode == "COMMAND_NOT_FOUND", "\(error)")
        }
    }

    @Test func `an app in JavaScript sends members that are null, and a gateway's agent writes USER:`()
        async throws
    {
        try await withApp { app in
            let common = ["Authorization: Bearer \(app.token)", "X-Kii-SDK: sn=jsi;sv=0.2.6", "Accept: */*"]
            let onboarded = try await app.site.send(
                "POST",
                "/onboardings",
                common + ["Content-Type: application/vnd.kii.OnboardingWithVendorThingIDByOwner+json"],
                #"{"vendorThingID":"js-1","thingPassword":"secret","owner":"\#(app.user)","thingType":null,"thingProperties":null}"#
            )
            #expect(onboarded.status == 200, "\(onboarded)")
            let thing = try #require(onboarded.json["thingID"]?.string)
            let posted = try await app.site.send(
                "POST",
                "/targets/thing:\(thing)/commands",
                common + ["Content-Type: application/vnd.kii.CommandCreationRequest+json"],
                #"{"schema":"SmartLight","schemaVersion":1,"actions":[{"turnPower":{"power":true}}],"#
                    + #""issuer":"\#(app.user)","title":null,"description":null,"metadata":null}"#
            )
            #expect(posted.status == 201, "\(posted)")

            let owner = app.user.replacing("user:", with: "USER:")
            let agent = ["authorization: Bearer \(app.token)"]
            let gateway = try await app.site.send(
                "POST",
                "/onboardings",
                agent + ["content-type: application/vnd.kii.onboardingWithVendorThingIDByOwner+json"],
                #"{"vendorThingID":"gateway-1","thingPassword":"secret","owner":"\#(owner)","thingType":"gateway","#
                    + #""layoutPosition":"GATEWAY"}"#
            )
            #expect(gateway.status == 200, "\(gateway)")
            let node = try await app.site.send(
                "POST",
                "/onboardings",
                agent + ["content-type: application/vnd.kii.OnboardingEndNodeWithGatewayThingID+json"],
                #"{"endNodeVendorThingID":"node-1","endNodePassword":"secret","#
                    + #""gatewayThingID":"\#(gateway.json["thingID"]?.string ?? "")","#
                    + #""endNodeThingProperties":{"a":1},"endNodeThingType":"sensor","owner":"\#(owner)"}"#
            )
            #expect(node.status == 200 && node.json["endNodeThingID"]?.string != nil, "\(node)")
            #expect(node.json["accessToken"]?.string != nil, "\(node)")
        }
    }

    /// The library in C writes the whole address into the request, as it would for a proxy.
    @Test func `a thing with the library in C gets a token for nobody, onboards itself and reports`()
        async throws
    {
        try await ThingIFSite.open { site in
            func send(_ method: String, _ path: String, _ type: String, _ token: String?, _ body: String)
                async throws -> WireClient.Reply
            {
                let headers = [
                    "x-kii-appid: \(ThingIFSite.app)", "x-kii-appkey: \(ThingIFSite.key)",
                    "content-type: \(type)",
                ]
                let authorization = token.map { ["authorization: bearer \($0)"] } ?? []
                return try await site.send(method, "https://localhost/\(path)", headers + authorization, body)
            }
            let made = try await send(
                "POST",
                "api/apps/\(ThingIFSite.app)/oauth2/token",
                "application/json",
                nil,
                #"{"grant_type":"client_credentials","client_id":"\#(ThingIFSite.app)","client_secret": "\#(ThingIFSite.key)"}"#
            )
            #expect(made.status == 200, "\(made)")
            let anonymous = try #require(made.json["access_token"]?.string)
            let place = "thing-if/apps/\(ThingIFSite.app)"
            let onboarded = try await send(
                "POST",
                "\(place)/onboardings",
                "application/vnd.kii.OnboardingWithVendorThingIDByThing+json",
                anonymous,
                #"{"vendorThingID":"c-1","thingPassword":"secret","thingType":"SmartLight","thingProperties":{"a":1}}"#
            )
            #expect(onboarded.status == 200, "\(onboarded)")
            let (id, token) = (onboarded.json["thingID"]?.string, onboarded.json["accessToken"]?.string)
            let thing = "\(place)/targets/thing:\(try #require(id))"
            let secret = try #require(token)
            for status in [201, 204] {
                let put = try await send(
                    "PUT",
                    "\(thing)/states",
                    "application/json",
                    secret,
                    #"{"power":true}"#
                )
                #expect(put.status == status, "\(put)")
            }
            let results = #"{"actionResults":[{"turnPower":{"succeeded":true}}]}"#
            let unknown = try await send(
                "PUT",
                "\(thing)/commands/c.none/action-results",
                "application/json",
                secret,
                results
            )
            #expect(unknown.status == 404 && unknown.errorCode == "COMMAND_NOT_FOUND", "\(unknown)")
        }
    }
}
