import ArgumentParser
import Settings

extension HostAndPort: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
