import Administration
import Daemon
import Foundation
package import JSON
import MQTT
import People
package import Settings

/// What the demo shows in the terminal: where everything is, what to try, and where the walker is now.
package struct DemoScreen: Sendable {
    enum Port: Sendable {
        case flare(Int)
        case web(Int)
        /// The page is not served yet: its address is taken.
        case noWeb
    }

    let broker: HostAndPort
    let isPrivate: Bool
    /// Whether what was published stays.
    let isKept: Bool
    let root: String
    let folder: String
    let web: HostAndPort
    let flare: HostAndPort
    /// The usual ports that other programs have.
    let inUse: [Int]
    let isTerminal: Bool

    package init(
        broker: HostAndPort,
        isPrivate: Bool,
        isKept: Bool,
        root: String,
        folder: String,
        web: HostAndPort,
        flare: HostAndPort,
        inUse: [Int] = [],
        isTerminal: Bool
    ) {
        self.broker = broker
        self.isPrivate = isPrivate
        self.isKept = isKept
        self.root = root
        self.folder = folder
        self.web = web
        self.flare = flare
        self.inUse = inUse
        self.isTerminal = isTerminal
    }

    /// Waits for the listeners, says where things are, and then follows `B/state` until the task is cancelled.
    func run(ports: AsyncStream<Port>) async {
        var (flarePort, webPort, waitsForWeb): (Int?, Int?, Bool) = (nil, nil, true)
        for await port in ports {
            switch port {
            case .flare(let number): flarePort = number
            case .web(let number): webPort = number
            case .noWeb: waitsForWeb = false
            }
            if flarePort != nil, webPort != nil || !waitsForWeb { break }
        }
        guard let flarePort else { return }
        let link = webPort == nil ? nil : await signInLink(within: .seconds(2))
        // Whoever reads the screen may stall; the walk and its end must not.
        let output = OutputQueue(capacity: 1 << 16) { try? Terminal.output.write($0) }
        defer { output.flush() }
        output.append(introduction(flarePort: flarePort, webPort: webPort, link: link))
        await BrokerSession(MQTTConfiguration(to: broker)).run(filters: ["\(root)/state"], timeout: nil) {
            visit in
            var shown = ""
            for await event in visit.events {
                guard case .message(let message) = event, let state = try? JSONValue(parsing: message.payload)
                else {
                    continue
                }
                let line = TerminalText.visible(Self.line(state))
                guard line != shown else { continue }
                shown = line
                // The cursor goes back, so that a line of the log is not written behind it.
                output.append(isTerminal ? "\u{1B}[2K  \(line)\r" : "  \(line)\n")
            }
        }
        if isTerminal { output.append("\n") }
    }

    /// A link that signs in the owner, once the daemon's socket is there; `nil` if it is not in time.
    private func signInLink(within limit: Duration) async -> String? {
        let end = ContinuousClock.now + limit
        let request = AdministrationClient.request(.post, ["sign-in-links"], body: [:])
        while ContinuousClock.now < end {
            if let answer = try? await AdministrationClient(folder: folder).send(request),
                answer.status == 201
            {
                return answer.body?["url"]?.string
            }
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { break }
        }
        return nil
    }

    /// The lines above the live one.
    /// - Parameters:
    ///   - webPort: `nil` if the page is not served.
    ///   - link: A link that signs in the owner; `nil` if there is none.
    package func introduction(flarePort: Int, webPort: Int?, link: String?) -> String {
        let isUsual = broker.description == MQTTConfiguration().address
        let options = isUsual ? "" : " -h \(broker.host) -p \(broker.port)"
        let node = root.split(separator: "/").last.map(String.init) ?? root
        let end =
            isKept
            ? "Ctrl-C or q ends it. Everything that it published stays; \"trilateral forget --node \(node)\(isUsual ? "" : " --mqtt \(broker)")\" clears it."
            : "Ctrl-C or q ends it, and clears everything that it published, in Home Assistant too."
        let page =
            webPort.map { "http://\(HostAndPort(host: web.host, port: $0))/" }
            ?? "not served; the reason stands above"
        func note(_ usual: Int) -> String { inUse.contains(usual) ? "   (port \(usual) is in use)" : "" }
        let another = "trilateral sign-in --state '\(folder)'"
        let admin =
            if webPort == nil { page } else if let link {
                "\(link)\n             (counts once, within 10 minutes; for another one: \(another))"
            } else { another }
        return """
            Trilateral demo: a flat with lamps, and somebody walking through it, again and again.
            \(end)

              broker   \(broker)\(isPrivate ? "   (private, ends with the demo)" : "")
              topics   \(root)/#
              Flare    http://\(HostAndPort(host: flare.host, port: flarePort))/environments\(note(LoopbackPort.flare))
              web      \(page)\(note(LoopbackPort.web))
              admin    \(admin)
              state    \(folder)

            Try, in another terminal:

              mosquitto_sub\(options) -t '\(root)/state'
              mosquitto_pub\(options) -t '\(root)/nearby/set' -m '{"state":"ON","color":"red"}'
              mosquitto_pub\(options) -t '\(root)/nearby/action' -m nextColor

            Now:

            """
    }

    /// One line that says where the walker is and what is near.
    package static func line(_ state: JSONValue) -> String {
        let environment = state["environment"]?["name"]?.string ?? "no environment"
        let zone = state["zone"]?["name"]?.string ?? "between rooms"
        guard let thing = state["nearby"]?["name"]?.string else {
            return "\(environment) › \(zone) · nothing near"
        }
        let values = [
            state["nearby"]?["state"]?.string, state["nearby"]?["color_name"]?.string,
            state["nearby"]?["brightness"]?.integer.map { "\(Int((Double($0) / 255 * 100).rounded())) %" },
        ]
        let shown = values.compactMap { $0 }.joined(separator: ", ")
        return "\(environment) › \(zone) · near \(thing)\(shown.isEmpty ? "" : ": \(shown)")"
    }
}
