import Daemon
import Flare
import FlareClient
import Settings

/// Whether a Flare server elsewhere answers.
package struct ServerFacts: Sendable {
    package static let check = "server"

    /// What is known of the server.
    package enum Finding: Sendable {
        /// It is the daemon's own.
        case builtIn
        /// Its address comes from a resolver.
        case station(String)
        /// It answers, and has so many environments.
        case answers(environments: Int)
        /// As a sentence.
        case failed(String)
    }

    package var url = ""
    package var finding = Finding.builtIn

    package init() {}

    package var verdicts: [DoctorVerdict] {
        switch finding {
        case .builtIn: [DoctorVerdict(Self.check, .ok, "the built-in one")]
        case .station(let serial):
            [
                DoctorVerdict(
                    Self.check,
                    .hint,
                    "it is the station \(serial), whose address a resolver knows",
                    advice: "trilateral station devices \(serial) shows whether it answers"
                )
            ]
        case .answers(let count) where count > 0:
            [DoctorVerdict(Self.check, .ok, "\(url) answers, with \(count) environments")]
        case .answers:
            [
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "\(url) answers, and has no environment that this machine may see",
                    advice: "import a place there, or correct flare.remote.token_file"
                )
            ]
        case .failed(let reason):
            [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    reason,
                    advice: "start it, or correct flare.remote.url; look at the firewall and the token"
                )
            ]
        }
    }

    static func gathered(_ context: DoctorContext) async -> ServerFacts {
        var facts = ServerFacts()
        let flare = context.values.flare
        guard flare.mode == .remote else { return facts }
        guard let configuration = FlareClientConfiguration(flare.remote) else {
            facts.finding = .station(flare.remote.serial ?? "that the configuration does not name")
            return facts
        }
        facts.url = flare.remote.url ?? ""
        do {
            let count = try await FlareSession.run(configuration, within: .seconds(4)) { visit in
                guard case .environments(let all) = try await visit.ask(.loadEnvironments(near: nil)) else {
                    return 0
                }
                return all.count
            }
            facts.finding = .answers(environments: count)
        } catch {
            facts.finding = .failed((error as? VerbError)?.message ?? "\(facts.url): \(error)")
        }
        return facts
    }
}
